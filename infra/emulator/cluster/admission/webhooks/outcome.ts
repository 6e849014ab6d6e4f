import type { Said } from './answer.ts';
import type { Hook } from './hook.ts';

/** What webhooks have said on the way, for the client and for the audit log. */
export type Heard = {
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
};

export const silence: Heard = Object.freeze({ warnings: [], auditAnnotations: {} });

/** An annotation is called after its webhook; a warning is told once. */
export function withSaid(heard: Heard, { name }: Hook, said: Said): Heard {
  const annotations = Object.entries(said.annotations).map(([key, value]) => [
    `${name}/${key}`,
    value,
  ]);
  return {
    warnings: [...new Set([...heard.warnings, ...said.warnings])],
    auditAnnotations: { ...heard.auditAnnotations, ...Object.fromEntries(annotations) },
  };
}
