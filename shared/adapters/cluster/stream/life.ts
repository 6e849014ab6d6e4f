/** Of one connection: as long as the caller's signal lets it, and no longer than we want it. */
export type Life = {
  readonly signal: AbortSignal;
  /** Cuts the connection, and lets go of the caller's signal. */
  end(): void;
};

export function lifeOf(outer: AbortSignal): Life {
  const own = new AbortController();
  const end = () => {
    outer.removeEventListener('abort', end);
    own.abort();
  };
  // Ours to take off again: the caller's lives as long as the process, and each reconnect would leave one on it.
  outer.addEventListener('abort', end);
  if (outer.aborted) end();
  return { signal: own.signal, end };
}
