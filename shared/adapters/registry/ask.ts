import type { OutsideRequest } from '#shared/domain/outside.ts';
import type { Endpoint } from '#shared/domain/registry/endpoint.ts';
import { type ReadFailure, readRefused } from '#shared/domain/registry/registry.ts';
import { type Account, accountKey } from './account.ts';
import { authorize, type Visit } from './authorize.ts';
import { type Answered, busy, failureFrom } from './outcome.ts';
import type { Tools } from './tools.ts';

export type Question = Pick<OutsideRequest, 'accept' | 'maxBytes' | 'reach' | 'signal'> & {
  readonly endpoint: Endpoint;
  readonly account: Account;
  /** Below the repository: `/manifests/latest`. */
  readonly path: string;
};

/** One GET as one account: what is remembered is shown first, a 401 is answered once. */
export async function ask(tools: Tools, question: Question): Promise<Answered | ReadFailure> {
  const key = visitKey(tools, question);
  const left = tools.busy.find(key);
  if (left !== undefined) return busy(question.endpoint.host, secondsLeft(left, tools.now()));

  const answered = await askWithLogin(tools, question, key);
  const failure = answered.kind === 'answer' ? failureFrom(answered, tools.now()) : undefined;
  if (failure?.kind === 'unavailable' && failure.why === 'busy') {
    const seconds = failure.afterSeconds ?? 1;
    tools.busy.keep(key, tools.now() + seconds * 1000, seconds);
  }
  return answered;
}

async function askWithLogin(
  tools: Tools,
  question: Question,
  key: string,
): Promise<Answered | ReadFailure> {
  const remembered = tools.tokens.find(key);
  const first = await get(tools, question, remembered);
  if (first.kind !== 'answer' || first.status !== 401) return first;

  tools.tokens.drop(key);
  // A redirect led to somebody who asks for a login: it is not the registry that asks.
  if (new URL(first.url).host !== new URL(urlOf(tools, question)).host) {
    return readRefused('challenge', `${new URL(first.url).host} asks for a login of its own`);
  }
  const login = await authorize(tools, visitOf(question), first.headers['www-authenticate'] ?? '');
  if (login.kind !== 'token') return login;
  const second = await get(tools, question, login.authorization);
  if (second.kind === 'answer' && second.status !== 401) {
    tools.tokens.keep(key, login.authorization, login.forSeconds);
  }
  return second;
}

/** A refusal has a body too, which may be larger than what was asked for. */
const leastMaxBytes = 64 * 1024;

function get(tools: Tools, question: Question, authorization: string | undefined) {
  const { accept, reach, signal } = question;
  const maxBytes = Math.max(leastMaxBytes, question.maxBytes);
  const url = urlOf(tools, question);
  return tools.outside.read({ url, accept, maxBytes, reach, signal, authorization });
}

function visitOf({ endpoint, account, reach, signal }: Question): Visit {
  return { endpoint, account, reach, signal };
}

export function urlOf(
  { outside }: Tools,
  { endpoint, path }: Pick<Question, 'endpoint' | 'path'>,
): string {
  return `${outside.originOf(endpoint.host)}/v2/${endpoint.repository}${path}`;
}

/** A token is for a registry, a repository and an account: named by another registry it would be shown to that one. */
export function visitKey(
  { outside }: Tools,
  { endpoint, account, reach }: Pick<Question, 'endpoint' | 'account' | 'reach'>,
): string {
  const { host, repository } = endpoint;
  return [reach, outside.originOf(host), repository, accountKey(account)].join(' ');
}

function secondsLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000));
}
