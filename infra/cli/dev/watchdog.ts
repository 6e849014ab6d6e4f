import { Worker } from 'node:worker_threads';
import { isInspected } from '../../emulator/dev/inspecting.ts';
import { keepWatch, type Watching } from './keep-watch.ts';
import { placeIn } from './place-in.ts';
import { type Told, watchSleep } from './watch-sleep.ts';

export type Guarded = {
  /** Those of the functions, as of now. */
  readonly folders: () => readonly string[];
  /** What stands at `place` keeps all of it waiting: told once. */
  stuck(place: string): void;
  /** It goes on after all. */
  freed(place: string, ms: number): void;
  /** Nobody has ended it: a signal does, in a moment. */
  end(place: string): void;
  /** It waits in the midst of a call, and V8 cannot say where. */
  readonly asleep: Told;
  /** Of work, as all others here. */
  readonly stuckMs?: number;
  readonly endMs?: number;
  readonly asleepMs?: number;
};

const beatMs = 100;

/**
 * Functions share one thread with all the rest: one that neither returns nor waits stops the API server, and our handling
 * of signals. Another thread sees that, and asks V8, as a debugger does, to run `look` in the midst of it.
 */
export function openWatchdog(guarded: Guarded): () => Promise<void> {
  const { folders, asleep, stuckMs = 800, endMs = 30_000, asleepMs = 2_000 } = guarded;
  const memory = new Int32Array(new SharedArrayBuffer(12));
  let held: { readonly place: string; readonly hear: () => void } | undefined;

  /** Whether it is to end. */
  const look = (blockedMs: number): boolean => {
    // At a breakpoint it is a person who thinks.
    if (isInspected()) return false;
    const place = placeIn(new Error('stuck').stack ?? '', folders());
    if (place === undefined) return false;
    if (held === undefined) {
      held = { place, hear: unheard() };
      guarded.stuck(place);
    }
    if (blockedMs < endMs) return false;
    guarded.end(held.place);
    return true;
  };
  const beat = (): void => {
    Atomics.add(memory, 0, 1);
    const blockedMs = Atomics.exchange(memory, 1, 0);
    Atomics.store(memory, 2, Number(isInspected()));
    if (held === undefined) return;
    const { place, hear } = held;
    held = undefined;
    hear();
    guarded.freed(place, blockedMs);
  };
  Reflect.set(globalThis, Symbol.for(hook), look);
  const beating = setInterval(beat, beatMs).unref();
  const looksAtMs = [stuckMs, endMs];
  const thread = watching({ memory, hook, beatMs, looksAtMs, asleep, asleepMs });
  return async () => {
    clearInterval(beating);
    Reflect.deleteProperty(globalThis, Symbol.for(hook));
    await thread.terminate();
  };
}

const hook = 'gatehouse.look';

/** By its text: bundled, there is no file of its own that a thread could begin with. */
function watching(workerData: Watching): Worker {
  const text = `(${keepWatch})(process.getBuiltinModule, ${watchSleep})`;
  const thread = new Worker(text, { eval: true, workerData, execArgv: [], name: 'watchdog' });
  thread.unref();
  return thread;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Without a listener a signal ends the process by itself: it needs nobody who turns. */
function unheard(): () => void {
  const listeners = signals.map((signal) => [signal, process.listeners(signal)] as const);
  for (const signal of signals) process.removeAllListeners(signal);
  return () => {
    for (const [signal, each] of listeners) for (const one of each) process.on(signal, one);
  };
}
