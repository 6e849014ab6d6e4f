/** Where one of them fails, the others are waited for all the same: whoever asked may then close what they stand on. */
export async function settled<T extends readonly Promise<unknown>[]>(asked: readonly [...T]) {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}
