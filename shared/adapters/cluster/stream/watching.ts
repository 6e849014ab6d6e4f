import type { IncomingMessage } from 'node:http';
import type { Line, Scope, WatchEnd, Watching } from '#shared/domain/watched.ts';
import { isDearToParse } from '../parsed-size.ts';
import { arrivals } from './arrivals.ts';
import type { Life } from './life.ts';
import { lineFrom } from './line.ts';
import { type Cut, headBytes, splitter } from './splitter.ts';

export type LineBounds = {
  readonly maxLineBytes: number;
  /** Of what a line is parsed to, beside its text. */
  readonly maxParsedBytes: number;
};

type Watch = LineBounds & {
  readonly scope: Scope;
  readonly life: Life;
  readonly idleMs: number;
};

/** Of one batch. Its bytes need no bound of their own: more than the stream's buffer holds is never there at once. */
const maxLines = 500;

/** Pulls lines out of an answer. While nobody asks, at most the socket's buffer (`highWaterMark` in `login.ts`) is read, then the socket blocks. */
export function watchingOf(answer: IncomingMessage, watch: Watch): Watching {
  const cuts = cutsOf(answer, watch.maxLineBytes);
  const arrival = arrivals(answer);
  let end: WatchEnd | undefined;

  const close = (why: WatchEnd) => {
    end ??= why;
    watch.life.end();
  };
  /** A line that is there, be it one of nothing; `undefined` where none is. */
  const taken = (): readonly Line[] | undefined => {
    const cut = end === undefined ? cuts.next() : undefined;
    const line = cut && lineFrom(parsable(cut, watch.maxParsedBytes), watch.scope);
    if (line?.kind !== 'end') return cut && (line === undefined ? [] : [line]);
    close(line.end);
    return undefined;
  };
  const gathered = (): readonly Line[] => {
    const batch: Line[] = [];
    for (let next = taken(); next !== undefined; next = taken()) {
      batch.push(...next);
      if (batch.length === maxLines) break;
    }
    return batch;
  };
  const more = async () => {
    const what = await arrival.next(watch.idleMs);
    if (what !== 'bytes') close(endFrom(what, cuts.isInside()));
  };

  return {
    kind: 'open',
    async next() {
      let batch = gathered();
      while (batch.length === 0 && end === undefined) {
        await more();
        batch = gathered();
      }
      // What ends the watch may stand behind lines of the same chunk: they come first.
      return batch.length > 0 || end === undefined ? batch : end;
    },
    close: () => close({ kind: 'cut', why: 'closed by us' }),
  };
}

function cutsOf(answer: IncomingMessage, maxLineBytes: number) {
  const lines = splitter(maxLineBytes);
  const next = (): Cut | undefined => {
    for (;;) {
      const cut = lines.next();
      if (cut !== undefined) return cut;
      const chunk: unknown = answer.read();
      if (!Buffer.isBuffer(chunk)) return undefined;
      lines.push(chunk);
    }
  };
  return { next, isInside: lines.isInside };
}

/** What would fill the heap by its many parts is as good as too long. */
function parsable(cut: Cut, maxParsedBytes: number): Cut {
  if (cut.kind === 'oversized' || !isDearToParse(cut.bytes, maxParsedBytes)) return cut;
  return {
    kind: 'oversized',
    head: cut.bytes.subarray(0, headBytes),
    bytes: cut.bytes.length,
  };
}

function endFrom(what: 'end' | 'idle' | Error, isInside: boolean): WatchEnd {
  if (what === 'idle') return { kind: 'idle' };
  if (what !== 'end') return { kind: 'cut', why: what.message };
  return isInside ? { kind: 'cut', why: 'the answer ended inside of a line' } : { kind: 'closed' };
}
