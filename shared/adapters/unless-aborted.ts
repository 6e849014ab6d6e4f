/** Nothing, as soon as the signal says so. What comes of the work later nobody waits for. */
export async function unlessAborted<T>(
  signal: AbortSignal,
  work: PromiseLike<T>,
): Promise<T | undefined> {
  const { promise: told, resolve } = Promise.withResolvers<undefined>();
  const tell = () => resolve(undefined);
  signal.addEventListener('abort', tell);
  if (signal.aborted) tell();
  try {
    return await Promise.race([told, work]);
  } finally {
    signal.removeEventListener('abort', tell);
  }
}
