import type { SleepWatching, watchSleep } from './watch-sleep.ts';

export type Watching = SleepWatching & {
  /** How often it has turned, what it has worked since, and whether a debugger may hold it. */
  readonly memory: Int32Array;
  /** By which symbol the other thread is looked into. */
  readonly hook: string;
  readonly beatMs: number;
  readonly looksAtMs: readonly number[];
};

/**
 * Runs in a thread of its own, by its text alone: it must not name anything that stands outside of it. It counts what the
 * process has worked, not the time: one that was suspended, or that others leave no processor, is not stuck.
 */
export function keepWatch(
  builtIn: typeof process.getBuiltinModule,
  sleepWatch: typeof watchSleep,
): void {
  const { workerData } = builtIn('node:worker_threads');
  const { Session } = builtIn('node:inspector');
  const { memory, hook, beatMs, looksAtMs } = workerData as Watching;
  const workedMs = () => {
    const { user, system } = process.cpuUsage();
    return Math.round((user + system) / 1_000);
  };
  const sleep = sleepWatch(builtIn, workerData as Watching);
  let turned = { times: 0, atMs: workedMs() };
  let lookedAtMs = 0;

  const look = (ms: number) => {
    const session = new Session();
    session.connectToMainThread();
    const expression = `globalThis[Symbol.for(${JSON.stringify(hook)})]?.(${ms})`;
    session.post('Runtime.evaluate', { expression }, (_, answer) => {
      session.disconnect();
      if (answer?.result.value === true) process.kill(process.pid, 'SIGTERM');
    });
  };
  setInterval(() => {
    const times = Atomics.load(memory, 0);
    if (times !== turned.times) {
      turned = { times, atMs: workedMs() };
      lookedAtMs = 0;
      sleep.awake();
      return;
    }
    sleep.look();
    const ms = workedMs() - turned.atMs;
    Atomics.store(memory, 1, ms);
    if (!looksAtMs.some((at) => lookedAtMs < at && ms >= at)) return;
    lookedAtMs = ms;
    look(ms);
  }, beatMs);
}
