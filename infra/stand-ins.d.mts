export const seldom: Readonly<Record<string, readonly string[]>>;
export function httpAlone(): string;
export function standIns(name: string, exported: readonly string[]): string;
