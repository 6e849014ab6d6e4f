/** As it is to be written, with what is known then between the two. */
export type Told = { readonly fd: 1 | 2; readonly before: string; readonly after: string };

export type SleepWatching = {
  /** The last is whether a debugger may hold the main thread. */
  readonly memory: Int32Array;
  readonly asleep: Told;
  readonly asleepMs: number;
};

/**
 * Tells of a main thread that sleeps in the midst of a call (execSync), by this very thread, since nobody else can. It works
 * nothing meanwhile; that it sleeps, and is not starved, Linux says at each look. Runs by its text alone, as `keepWatch`.
 */
export function watchSleep(builtIn: typeof process.getBuiltinModule, watching: SleepWatching) {
  const { readFileSync, writeSync } = builtIn('node:fs');
  const { memory, asleep, asleepMs } = watching;
  const main = `self/task/${process.pid}`;
  let since: number | undefined;
  let isTold = false;

  const read = (file: string) => {
    try {
      return readFileSync(`/proc/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  /** Its state and its group; what stands before them may hold anything. */
  const statOf = (of: string) => {
    const stat = read(`${of}/stat`).replace(/^.*\) /s, '');
    const [state = '', , group = ''] = stat.split(' ');
    return { state, group };
  };
  /** The youngest that was started beside us: our Postgres has a session of its own. */
  const programWaitedFor = () => {
    const { group } = statOf('self');
    const children = read(`${main}/children`).split(' ').filter(Boolean);
    const youngest = children.findLast((each) => statOf(each).group === group);
    return youngest && read(`${youngest}/cmdline`).replaceAll('\0', ' ').trim();
  };
  const tell = () => {
    const program = programWaitedFor();
    const what = program ? ` for the program ${JSON.stringify(program).slice(1, -1)}` : '';
    try {
      writeSync(asleep.fd, asleep.before + what + asleep.after);
    } catch {
      // Whoever reads it is behind: who hangs here hears nothing, and the watch goes on.
    }
  };
  const awake = () => {
    since = undefined;
    isTold = false;
  };
  return {
    /** It has not turned since the last look. */
    look() {
      const isAsleep = Atomics.load(memory, 2) === 0 && statOf(main).state === 'S';
      if (!isAsleep) return awake();
      since ??= performance.now();
      if (isTold || performance.now() - since < asleepMs) return;
      isTold = true;
      tell();
    },
    awake,
  };
}
