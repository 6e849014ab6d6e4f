type Patience = {
  /** So often it is told before it ends as it is. */
  readonly most: number;
  readonly say: (text: string) => void;
};

/** Aborted by Ctrl-C, or by a terminal that is closed; told more than that, the process ends as it is. Whoever asked for it says when it is over. */
export function untilTold({ most, say }: Patience = { most: 1, say: () => {} }) {
  const controller = new AbortController();
  let times = 0;
  const told = apart((signal: NodeJS.Signals) => {
    times += 1;
    if (times > most) end(signal);
    else if (times > 1) say('it undoes what it did; told once more, it leaves it as it is\n');
    else controller.abort();
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const off = () => {
    for (const each of signals) process.off(each, told);
  };
  const end = (signal: NodeJS.Signals) => {
    off();
    process.kill(process.pid, signal);
  };
  for (const each of signals) process.on(each, told);
  return { signal: controller.signal, off };
}

const atOnceMs = 200;

/** What a terminal or `timeout` says to a whole group, npm and infra/on-node.mjs say again: nobody is in a hurry. */
export function apart<Given extends readonly unknown[]>(
  act: (...given: Given) => void,
  now = () => performance.now(),
): (...given: Given) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (...given) => {
    if (now() - last <= atOnceMs) return;
    last = now();
    act(...given);
  };
}
