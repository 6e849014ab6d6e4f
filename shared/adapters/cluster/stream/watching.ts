import type { IncomingMessage } from 'node:http';
import type { BeforeReading, Line, Scope, WatchEnd, Watching } from '#shared/domain/watched.ts';
import { isDearToParse } from '../parsed-size.ts';
import { arrivals } from './arrivals.ts';
import type { CatchingUp } from './catching-up.ts';
import type { Life } from './life.ts';
import { lineFrom } from './line.ts';
import { type Cut, headBytes, splitter } from './splitter.ts';

export type LineBounds = {
  readonly maxLineBytes: number;
  /** How much longer than silence it may take until one is whole. */
  readonly maxLineMs: number;
  /** Of what a line is parsed to, beside its text. */
  readonly maxParsedBytes: number;
};

type Watch = LineBounds & {
  readonly scope: Scope;
  readonly life: Life;
  readonly idleMs: number;
  readonly catchingUp: CatchingUp;
};

/** Of one batch. Its bytes need no bound of their own: they are what the stream's buffer held, and what was read on. */
const maxLines = 500;

/** Pulls lines out of an answer. While nobody asks, at most the socket's buffer (`readAheadBytes`) is read, then the socket blocks. */
export function watchingOf(answer: IncomingMessage, watch: Watch): Watching {
  const cuts = cutsOf(answer, watch.maxLineBytes);
  const arrival = arrivals(answer);
  let end: WatchEnd | undefined;
  let giveBack = () => {};

  const close = (why: WatchEnd) => {
    end ??= why;
    giveBack();
    watch.life.end();
  };
  const next = () => (end === undefined ? cuts.next() : undefined);
  /** A line that is there; `undefined` where none comes any more. */
  const arrived = async (): Promise<Cut | undefined> => {
    const mostMs = watch.idleMs + watch.maxLineMs;
    // What closes it ends the wait below as well.
    const overdue = setTimeout(() => close(unfinished(cuts.isInside(), mostMs)), mostMs);
    try {
      for (;;) {
        const cut = next();
        if (cut !== undefined || end !== undefined) return cut;
        const what = await arrival.next(watch.idleMs);
        if (what !== 'bytes') close(endFrom(what, cuts.isInside()));
      }
    } finally {
      clearTimeout(overdue);
    }
  };
  const read = (cut: Cut): Line | undefined => {
    const line = lineFrom(parsable(cut, watch.maxParsedBytes), watch.scope);
    if (line.kind !== 'end') return line;
    close(line.end);
    return undefined;
  };
  const readFrom = (first: Cut | undefined): readonly Line[] => {
    const batch: Line[] = [];
    for (let cut = first; cut !== undefined; cut = batch.length < maxLines ? next() : undefined) {
      const line = read(cut);
      if (line !== undefined) batch.push(line);
    }
    return batch;
  };
  const gathered = async (beforeReading: BeforeReading | undefined): Promise<readonly Line[]> => {
    const first = await arrived();
    if (first !== undefined && beforeReading !== undefined) {
      giveBack = await watch.catchingUp.readOn(cuts);
      if (end !== undefined) giveBack();
      await beforeReading(sizeOf(first) + cuts.behind());
    }
    return end === undefined ? readFrom(first) : [];
  };

  return {
    kind: 'open',
    async next(beforeReading) {
      // What was read last has been written by now.
      giveBack();
      const batch = await gathered(beforeReading);
      // What ends the watch may stand behind lines of the same chunk: they come first.
      return batch.length > 0 || end === undefined ? batch : end;
    },
    close: () => close({ kind: 'cut', why: 'closed by us' }),
  };
}

function sizeOf(cut: Cut): number {
  return cut.kind === 'line' ? cut.bytes.length : cut.bytes;
}

function cutsOf(answer: IncomingMessage, maxLineBytes: number) {
  const lines = splitter(maxLineBytes);
  const pulled: Buffer[] = [];
  const pull = (): boolean => {
    const chunk: unknown = answer.read();
    if (!Buffer.isBuffer(chunk)) return false;
    pulled.push(chunk);
    return true;
  };
  const pushed = (): boolean => {
    const chunk: unknown = pulled.shift() ?? answer.read();
    if (!Buffer.isBuffer(chunk)) return false;
    lines.push(chunk);
    return true;
  };
  const next = (): Cut | undefined => {
    for (;;) {
      const cut = lines.next();
      if (cut !== undefined && !isBlank(cut)) return cut;
      if (cut === undefined && !pushed()) return undefined;
    }
  };
  const behind = () =>
    pulled.reduce((sum, { length }) => sum + length, lines.behind() + answer.readableLength);
  return { next, pull, behind, isInside: lines.isInside };
}

const space = 32;

/** A line of nothing is no sign of life. */
function isBlank({ kind, bytes }: Cut): boolean {
  return kind === 'line' && bytes.every((byte) => byte <= space);
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

/** The next one may meet the same line: what it is that hinders is to be said. */
function unfinished(isInside: boolean, ms: number): WatchEnd {
  return isInside
    ? { kind: 'cut', why: `a line was not whole after ${ms / 1_000} s` }
    : { kind: 'idle' };
}

function endFrom(what: 'end' | 'idle' | Error, isInside: boolean): WatchEnd {
  if (what === 'idle') return { kind: 'idle' };
  if (what !== 'end') return { kind: 'cut', why: what.message };
  return isInside ? { kind: 'cut', why: 'the answer ended inside of a line' } : { kind: 'closed' };
}
