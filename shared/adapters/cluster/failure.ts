/** Between two pages of a list its version was compacted away: what was read so far is not the whole. */
export function listExpired(why: string): Error {
  return new Error(`the list has to be read anew: ${why}`);
}

export type Refusal = { readonly status: number; readonly afterSeconds?: number | undefined };

/** The server spoke, and it was no. Where it did not speak there is no status: none is made up. */
export function refused(what: string, why: string, refusal: Refusal): Error {
  const message = `cannot ${what}: ${refusal.status} ${why}`;
  return Object.assign(new Error(message), { name: 'ClusterRefused', ...refusal });
}

/** `undefined` where the error is none of the server's answers. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || error.name !== 'ClusterRefused') return undefined;
  return error as unknown as Refusal;
}
