/** Waits that somebody else can cut short. */
export function openRousing(signal: AbortSignal) {
  const waiting = new Set<(how: 'over' | 'roused') => void>();
  const end = (how: 'over' | 'roused') => {
    for (const each of [...waiting]) each(how);
  };
  signal.addEventListener('abort', () => end('over'), { once: true });
  return {
    pause(ms: number): Promise<'over' | 'roused'> {
      const { promise, resolve } = Promise.withResolvers<'over' | 'roused'>();
      const timer = setTimeout(() => settle('over'), signal.aborted ? 0 : ms);
      const settle = (how: 'over' | 'roused') => {
        clearTimeout(timer);
        waiting.delete(settle);
        resolve(how);
      };
      timer.unref();
      waiting.add(settle);
      return promise;
    },
    rouse: () => end('roused'),
  };
}
