/** The right to settle: a group's row, and which of its claims. */
export type Receipt = { readonly id: string; readonly claims: number };

export function receiptText({ id, claims }: Receipt): string {
  return `${id}.${claims}`;
}

const form = /^([1-9]\d{0,17})\.([1-9]\d{0,8})$/;

/** Nothing for what no queue of ours has handed out. */
export function receiptFrom(text: string): Receipt | undefined {
  const [, id, claims] = form.exec(text) ?? [];
  return id === undefined ? undefined : { id, claims: Number(claims) };
}

/** A row's number in the database; others name nothing. */
export function isRowId(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text);
}
