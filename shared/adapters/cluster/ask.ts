import { type Answer, answerFrom } from './answer.ts';
import { type Bounds, exchange, isStaleConnection, isTooLarge, type Sent } from './exchange.ts';
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
  /** Gives up before the deadline. */
  readonly signal?: AbortSignal | undefined;
};

export type Ask = (question: Question) => Promise<Answer>;

export type Limits = {
  readonly deadlineMs: number;
  readonly maxAnswerBytes: number;
  /** Of what it is parsed to, beside its text. */
  readonly maxParsedBytes?: number | undefined;
  readonly sieve?: Bounds['sieve'];
  readonly userAgent: string;
};

/** Asks the API server, with one deadline for all that belongs to the call. */
export function asker(session: Session, limits: Limits): Ask {
  const { deadlineMs, maxAnswerBytes: maxBytes, maxParsedBytes, sieve } = limits;
  const bounds = { maxBytes, maxParsedBytes, sieve };
  return async (question) => {
    const signal = deadlineFor(question, deadlineMs);
    const discreet = question.path.includes('/secrets');
    const once = async () =>
      exchange({
        ...(await prepared(session, question, { ...limits, signal })),
        signal,
        ...bounds,
      });
    try {
      return answerFrom(await withFreshLogin(session, question, once), { discreet });
    } catch (cause: unknown) {
      throw new Error(`cannot ${question.what}: ${silence(cause, signal, deadlineMs)}`, { cause });
    }
  };
}

function deadlineFor({ signal }: Question, deadlineMs: number): AbortSignal {
  const deadline = AbortSignal.timeout(deadlineMs);
  return signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
}

function silence(cause: unknown, { aborted, reason }: AbortSignal, deadlineMs: number): string {
  if (isTooLarge(cause)) return 'too large an answer';
  const isLate = aborted && reason instanceof Error && reason.name === 'TimeoutError';
  return isLate ? `no answer within ${deadlineMs} ms` : 'no answer';
}

/** What was refused with 401 was not done: it is safe to ask again, as whoever we are by now. */
export async function withFreshLogin<T extends { readonly status: number }>(
  session: Session,
  question: Question,
  once: () => Promise<T>,
): Promise<T> {
  const first = await unlessStale(question, once);
  if (first.status !== 401) return first;

  // A token that was renewed on disk, sooner than it is read again.
  session.renew();
  return once();
}

/** Only what can be asked twice is asked again. */
async function unlessStale<T>({ method }: Question, once: () => Promise<T>): Promise<T> {
  return once().catch((cause: unknown) => {
    if (method === 'GET' && isStaleConnection(cause)) return once();
    throw cause;
  });
}

/** The request as it goes out: our credentials and headers, and the body as text. */
export async function prepared(
  session: Session,
  question: Question,
  { userAgent, signal }: Pick<Limits, 'userAgent'> & { readonly signal: AbortSignal },
): Promise<Omit<Sent, 'signal' | keyof Bounds>> {
  const options = await unlessGivenUp(signal, session.options());
  const body = question.body === undefined ? undefined : JSON.stringify(question.body);
  const headers = {
    ...(options.headers as Readonly<Record<string, string>> | undefined),
    accept: question.accept ?? 'application/json',
    'user-agent': userAgent,
    ...(body === undefined
      ? {}
      : {
          'content-type': question.contentType ?? 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
  };
  const { method } = question;
  return {
    url: addressed(session.server, question),
    options: { ...options, method, headers },
    body,
  };
}

/** Credentials may come from a program that somebody else wrote: it has no longer than the question. */
function unlessGivenUp<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp);
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', giveUp));
}

function addressed(server: URL, { path, query = {} }: Question): URL {
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, '')}${path}`;
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(key, value);
  }
  return url;
}
