/** Aborted by Ctrl-C, or by a terminal that is closed; a second one ends the process as it is. Whoever asked for it says when it is over. */
export function untilTold() {
  const controller = new AbortController();
  const end = () => {
    off();
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const off = () => {
    for (const each of signals) process.off(each, end);
  };
  for (const each of signals) process.on(each, end);
  return { signal: controller.signal, off };
}
