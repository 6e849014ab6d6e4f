import type { IncomingMessage } from 'node:http';
import type { Refused, Scope, Watching, WatchOptions } from '#shared/domain/watched.ts';
import { answerFrom } from '../answer.ts';
import { prepared, type Question, withFreshLogin } from '../ask.ts';
import { opened, type Received, receivedFrom } from '../exchange.ts';
import { readAheadBytes, type Session } from '../login.ts';
import { openCatchingUp } from './catching-up.ts';
import { collectionOf, partial, wordsOf } from './collection.ts';
import { type Life, lifeOf } from './life.ts';
import { orThrow } from './list.ts';
import { type LineBounds, watchingOf } from './watching.ts';

type Limits = { readonly userAgent: string } & LineBounds;

/** How much of a refusal is read. */
const ofRefusal = { maxBytes: 1024 * 1024 };

const depths = { fullBytes: readAheadBytes, deepBytes: 4 * readAheadBytes };

export function openWatch(session: Session, { userAgent, ...bounds }: Limits) {
  const catchingUp = openCatchingUp(depths);
  const ask: AskOnce = async (question, { signal }) => {
    const sent = await prepared(session, question, { userAgent, signal });
    const answer = await opened({ ...sent, signal });
    const status = answer.statusCode ?? 0;
    return status === 200 ? { status, answer } : receivedFrom(answer, ofRefusal);
  };
  return async (scope: Scope, options: WatchOptions): Promise<Watching | Refused> => {
    const { idleMs } = options;
    const question = questionFor(scope, options);
    const life = lifeOf(options.signal);
    const first = await inTime({ life, idleMs, what: question.what }, () =>
      withFreshLogin(session, question, () => ask(question, life)),
    );
    if ('answer' in first) {
      return watchingOf(first.answer, { scope, life, idleMs, catchingUp, ...bounds });
    }
    life.end();
    const discreet = scope.kind.resource === 'secrets';
    return orThrow(question.what, answerFrom(first, { discreet }));
  };
}

type Opened = Received | { readonly status: number; readonly answer: IncomingMessage };
type AskOnce = (question: Question, life: Life) => Promise<Opened>;
type Opening = { readonly life: Life; readonly idleMs: number; readonly what: string };

/** A server that takes the connection and says nothing is as dead as one that falls silent later. */
async function inTime<T>({ life, idleMs, what }: Opening, open: () => Promise<T>): Promise<T> {
  const silence = setTimeout(life.end, idleMs);
  try {
    return await open();
  } catch (cause: unknown) {
    life.end();
    throw new Error(`cannot ${what}: no answer`, { cause });
  } finally {
    clearTimeout(silence);
  }
}

function questionFor(scope: Scope, { resourceVersion, timeoutSeconds }: WatchOptions): Question {
  const { path, query } = collectionOf(scope);
  const from =
    resourceVersion === undefined
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion };
  return {
    what: wordsOf('watch', scope),
    method: 'GET',
    path,
    query: {
      ...query,
      ...from,
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(timeoutSeconds),
    },
    ...(scope.metadataOnly === true ? { accept: partial.one } : {}),
  };
}
