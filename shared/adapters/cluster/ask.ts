import { type Answer, answerFrom } from './answer.ts';
import { exchange, type Received } from './exchange.ts';
import type { Session } from './login.ts';

export type Question = {
  /** For errors: `get pods team-a/web`. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
};

export type Ask = (question: Question) => Promise<Answer>;

export type Limits = {
  readonly deadlineMs: number;
  readonly maxAnswerBytes: number;
  readonly userAgent: string;
};

/** Asks the API server, with one deadline for all that belongs to the call. */
export function asker(session: Session, limits: Limits): Ask {
  return async (question) => {
    const signal = AbortSignal.timeout(limits.deadlineMs);
    const discreet = question.path.includes('/secrets');
    const once = () => send(session, limits, { question, signal });
    try {
      const first = await unlessStale(once, question);
      if (first.status !== 401) return answerFrom(first, { discreet });

      // A token that was renewed on disk, sooner than it is read again. What was refused was not done: asking again is safe.
      session.renew();
      return answerFrom(await once(), { discreet });
    } catch (cause: unknown) {
      const late = signal.aborted ? `no answer within ${limits.deadlineMs} ms` : 'no answer';
      throw new Error(`cannot ${question.what}: ${late}`, { cause });
    }
  };
}

/** Only what can be asked twice is asked again. */
async function unlessStale(once: () => Promise<Received>, { method }: Question): Promise<Received> {
  return once().catch((cause: unknown) => {
    const stale = cause instanceof Error && Reflect.get(cause, 'staleConnection') === true;
    if (method === 'GET' && stale) return once();
    throw cause;
  });
}

type Sending = { readonly question: Question; readonly signal: AbortSignal };

async function send(session: Session, limits: Limits, { question, signal }: Sending) {
  const options = await session.options();
  const body = question.body === undefined ? undefined : JSON.stringify(question.body);
  return exchange({
    url: addressed(session.server, question),
    options: {
      ...options,
      method: question.method,
      headers: {
        ...(options.headers as Readonly<Record<string, string>> | undefined),
        accept: question.accept ?? 'application/json',
        'user-agent': limits.userAgent,
        ...(body === undefined
          ? {}
          : {
              'content-type': question.contentType ?? 'application/json',
              'content-length': String(Buffer.byteLength(body)),
            }),
      },
    },
    body,
    signal,
    maxBytes: limits.maxAnswerBytes,
  });
}

function addressed(server: URL, { path, query = {} }: Question): URL {
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, '')}${path}`;
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(key, value);
  }
  return url;
}
