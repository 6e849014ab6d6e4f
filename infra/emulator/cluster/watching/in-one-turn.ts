const due = new Set<() => void>();

/**
 * Soon, and together with all others: a thousand watchers of one change are written to in one turn, so that HTTP/2 sends a
 * connection's frames at once, and not a frame a watcher.
 */
export function inOneTurn(work: () => void): void {
  if (due.size === 0) setImmediate(turn);
  due.add(work);
}

function turn(): void {
  const all = [...due];
  due.clear();
  for (const work of all) work();
}
