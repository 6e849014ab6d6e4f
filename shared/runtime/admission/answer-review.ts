import { parseDuration } from '#shared/domain/duration.ts';
import type { Settings } from '#shared/domain/settings.ts';

import { answerText, denialText, unreadableText } from './answer.ts';
import type { Entry } from './desk.ts';
import type { Opened } from './envelope.ts';
import { type Fused, fuse, type Round } from './fuse.ts';
import type { Host } from './host.ts';
import { onceKnown } from './once-known.ts';
import { readingOnce } from './reading-once.ts';

export type Call = {
  /** When it came, on `performance.now()`'s clock. */
  readonly started: number;
  /** The caller's own limit, as it says it. */
  readonly timeout: string | undefined;
};

/** What every door answers, whichever way a review came: the text of a review, for an HTTP 200. */
export function answerReview(
  opened: Opened,
  entry: Entry,
  host: Host,
  { started, timeout }: Call,
): string | Promise<string> {
  if (!opened.ok) {
    const { code, why, uid } = opened.unreadable;
    host.meter.unreadable(code);
    host.log.warn({ path: entry.path, code, why, uid }, 'a review could not be read');
    return unreadableText(opened.unreadable);
  }
  const isUntimed = host.isUntimed?.() === true;
  const until = started + (isUntimed ? endlessMs : budgetMs(host.settings(), timeout));
  const { asked } = opened;
  const round = roundOf(entry, { asked, host, until });
  return onceKnown(fuse(entry.functions, round), (fused) => {
    const text = told(fused, round, entry);
    host.meter.answered(entry.path, performance.now() - started);
    host.onlooker?.({ asked, steps: fused.steps });
    return text;
  });
}

function roundOf({ judge, functions }: Entry, { asked, host, until }: Omit<Round, 'judge'>): Round {
  if (judge !== 'cluster') return { asked, host, until, judge };
  const round = { asked, host, until, judge: 'cache' } as const;
  return { ...round, host: readingOnce(functions, round) };
}

function told({ verdict, steps }: Fused, { asked, host }: Round, entry: Entry): string {
  if (verdict.kind === 'deny') {
    const { uid } = asked;
    const by = steps.findLast((step) => step.verdict?.kind === 'deny')?.function.name;
    const why = denialText(verdict);
    host.log.info({ uid, function: by, code: verdict.code, why }, 'denied');
  } else {
    host.log.debug({ uid: asked.uid, path: entry.path, answered: verdict.kind }, 'answered');
  }
  return answerText(asked, verdict);
}

/** Days, and still what a timer can wait. */
const endlessMs = 1_000_000_000;

/** Answers below the caller's own limit: what comes later nobody hears. */
function budgetMs({ server }: Settings, timeout: string | undefined): number {
  const stated = timeout === undefined ? undefined : statedMs(timeout);
  const limit = Math.min(server.timeoutSeconds * 1_000, stated ?? Number.POSITIVE_INFINITY);
  return limit - Math.min(250, limit / 10);
}

let lastStated: { readonly text: string; readonly ms: number | undefined } | undefined;

/** API servers say the same at every call, and to parse it costs as much as a decision. */
function statedMs(text: string): number | undefined {
  if (lastStated?.text !== text) {
    const ms = parseDuration(text);
    lastStated = { text, ms: ms !== undefined && ms > 0 ? ms : undefined };
  }
  return lastStated.ms;
}
