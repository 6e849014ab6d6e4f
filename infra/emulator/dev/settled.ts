/** Where one of them fails, the others are waited for all the same, so that they can be closed. */
export async function settled<T extends readonly Promise<unknown>[]>(opening: readonly [...T]) {
  await Promise.allSettled(opening);
  return Promise.all(opening);
}
