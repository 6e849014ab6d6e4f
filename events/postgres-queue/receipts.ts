/** The right to settle: a group's row, which of its claims, and since when the server had forgotten nothing by then. */
export type Receipt = { readonly id: string; readonly claims: number; readonly since: string };

export function receiptText({ id, claims, since }: Receipt): string {
  return `${id}.${claims}.${since}`;
}

const form = /^([1-9]\d{0,17})\.([1-9]\d{0,8})\.(0|[1-9]\d{0,17})$/;

/** Nothing for what no queue of ours has handed out. */
export function receiptFrom(text: string): Receipt | undefined {
  const [, id, claims, since] = form.exec(text) ?? [];
  if (id === undefined || since === undefined) return undefined;
  return { id, claims: Number(claims), since };
}

/** A row's number in the database; others name nothing. */
export function isRowId(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text);
}
