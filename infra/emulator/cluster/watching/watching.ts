import type { ServerResponse } from 'node:http';
import type { Conversion } from '../pipeline/conversion.ts';
import type { Selects } from '../reading/selecting.ts';
import type { View } from '../reading/view.ts';
import { ahead, type Refusal, tooOld } from '../refusal.ts';
import type { Collection, Follower, TooOld } from '../store/collection.ts';
import { inOneTurn } from './in-one-turn.ts';
import { errorLine, type lineCache } from './watch-line.ts';
import { outputTo, type Pace } from './watch-output.ts';
import { scriptOf } from './watch-script.ts';

export type Watch = {
  readonly of: Collection;
  readonly selects: Selects;
  readonly view: View;
  /** From a version on, or everything that is there first. */
  readonly from: number | 'initial';
  /** What is there first. */
  readonly notOlderThan: number;
  readonly endsInitial: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  readonly conversion?: Conversion | undefined;
  /** Who follows. */
  readonly user?: string;
};

export type Surroundings = {
  revision(): number;
  pace(): Pace | undefined;
  /** Changes of its kind that a watch may be behind; then it ends, in good order. */
  mostBehind(): number;
  readonly lineFor: ReturnType<typeof lineCache>;
  readonly bookmarkMs: number;
};

/** Follows a collection until the time is over. Nothing is buffered: what a slow reader has not taken stays in the history. */
export function serveWatch(response: ServerResponse, watch: Watch, around: Surroundings): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
  });
  response.flushHeaders();
  const no = insteadOf(watch, around);
  if (no === undefined) follow(response, watch, around);
  else response.end(no.shape === 'empty' ? undefined : errorLine(no.refusal.body));
}

type Instead = { readonly shape: TooOld; readonly refusal: Refusal };

/** It is told nothing of what happened, but that its version is none to begin at. The real server waits for one to come. */
export function insteadOf(
  { of, from, notOlderThan }: Watch,
  { revision }: Pick<Surroundings, 'revision'>,
): Instead | undefined {
  const current = revision();
  if (from === 'initial') {
    return notOlderThan > current
      ? { shape: 'event', refusal: ahead(notOlderThan, current) }
      : undefined;
  }
  const shape = of.tooOld(from);
  const why = `too old resource version: ${from} (${of.changes.floor()})`;
  return shape && { shape, refusal: { code: 410, body: tooOld(why) } };
}

function follow(response: ServerResponse, watch: Watch, around: Surroundings): void {
  const script = scriptOf(watch, around, () => pump.poke());
  const pump = pumpOf(response, script.next, around.pace);
  const leave = watch.of.follow({
    ...pump,
    ...(watch.user !== undefined && { user: watch.user }),
    end: (how) => void (how === 'cut' ? response.socket?.destroy() : response.end()),
  });
  const alarms = alarmsOf(watch, around, {
    onBookmark() {
      script.wantBookmark();
      pump.poke();
    },
    onTimeout: () => void response.end(),
  });
  response.on('close', () => {
    leave();
    for (const alarm of alarms) clearTimeout(alarm);
  });
  pump.poke();
}

/** Moves what is to be said to the client, as long as it takes it. */
function pumpOf(
  response: ServerResponse,
  next: () => Buffer | 'over' | undefined,
  pace: Surroundings['pace'],
): Omit<Follower, 'end'> {
  let isRoom = true;
  const pump = () => {
    while (isRoom && !response.destroyed && !response.writableEnded) {
      const chunk = next();
      if (chunk === 'over') response.end();
      if (!Buffer.isBuffer(chunk)) return;
      isRoom = output.write(chunk);
    }
  };
  // Changes of one turn go out together.
  const poke = () => inOneTurn(pump);
  const onRoom = () => {
    isRoom = true;
    poke();
  };
  const output = outputTo(response, { pace, onRoom });
  const { freeze, hold, cutInLine } = output;
  return { poke, freeze, hold, cutInLine };
}

type Alarms = { readonly onBookmark: () => void; readonly onTimeout: () => void };

/** As the real server: every minute, and two seconds before the end. */
function alarmsOf({ bookmarks, timeoutMs }: Watch, { bookmarkMs }: Surroundings, on: Alarms) {
  const end = setTimeout(on.onTimeout, timeoutMs);
  if (!bookmarks) return [end];
  const last = timeoutMs > 2_000 ? [setTimeout(on.onBookmark, timeoutMs - 2_000)] : [];
  return [end, ...last, setInterval(on.onBookmark, bookmarkMs)];
}
