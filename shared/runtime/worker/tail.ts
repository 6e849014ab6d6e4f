import { type Happening, payloadsOf } from '../happening.ts';
import { pause } from '../pause.ts';

/** Where it is said. */
export type Channel = {
  isListened(): Promise<boolean>;
  say(payload: string): Promise<void>;
};

export type Tail = {
  /** Whether it is worth the while to put a line together. */
  isWatched(): boolean;
  /** Never waits, and never fails. */
  happened(happening: Happening): void;
  stop(): Promise<void>;
};

export type TailOptions = {
  readonly channel: Channel;
  readonly cluster: string;
  readonly lookMs?: number;
  readonly everyMs?: number;
  /** More than so many lines between two payloads are dropped, and counted. */
  readonly most?: number;
};

const lastWordMs = 1_000;

/** Nobody looks on: nothing is done but to ask for it once a second. */
export function startTail(options: TailOptions): Tail {
  const { channel, cluster, lookMs = 1_000, everyMs = 50, most = 1_000 } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const lines = openLines(most);
  let isWatched = false;

  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      isWatched = await channel.isListened().catch(nobody);
      await pause(lookMs, signal);
    }
  };
  const speak = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(isWatched ? everyMs : lookMs, signal);
      for (const payload of payloadsOf(cluster, lines.take()))
        await channel.say(payload).catch(nobody);
    }
  };
  const turning = [look(), speak()];
  return {
    isWatched: () => isWatched,
    happened: (happening) => void (isWatched && lines.add(happening)),
    stop: () => endOf(Promise.all(turning), stopped),
  };
}

/** What is left is said; where nobody takes it, that is no reason to stay. */
async function endOf(turning: Promise<unknown>, stopped: AbortController): Promise<void> {
  const enough = new AbortController();
  stopped.abort();
  await Promise.race([turning, pause(lastWordMs, enough.signal)]);
  enough.abort();
}

/** What waits to be said: so many, and then only their number. */
function openLines(most: number) {
  let lines: Happening[] = [];
  let dropped = 0;
  return {
    add(happening: Happening): void {
      if (lines.length < most) lines.push(happening);
      else dropped += 1;
    },
    take() {
      const taken = { lines, dropped };
      lines = [];
      dropped = 0;
      return taken;
    },
  };
}

/** While the database is away nobody looks on, and those who work say so. */
function nobody(): boolean {
  return false;
}
