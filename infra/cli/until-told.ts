/** Aborted by Ctrl-C; a second one ends the process as it is. Whoever asked for it says when it is over. */
export function untilTold() {
  const controller = new AbortController();
  const end = () => {
    off();
    controller.abort();
  };
  const off = () => void process.off('SIGINT', end).off('SIGTERM', end);
  process.on('SIGINT', end).on('SIGTERM', end);
  return { signal: controller.signal, off };
}
