/** Aborted when we are told to stop; one time more than that, and we go as we are. */
export function untilTold(most: number, say: (text: string) => void): AbortSignal {
  const controller = new AbortController();
  let times = 0;
  const told = () => {
    times += 1;
    if (times > most) process.exit(1);
    if (times > 1) say('it removes what it made there; told once more, it leaves it behind');
    controller.abort(new Error('told to stop'));
  };
  process.on('SIGTERM', told);
  process.on('SIGINT', told);
  return controller.signal;
}
