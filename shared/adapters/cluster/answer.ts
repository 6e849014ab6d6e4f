import { decode, list, number, optional, record, text } from '#shared/domain/decode.ts';
import { isJsonObject, type Json, jsonIn } from '#shared/domain/json.ts';
import { apiVersion, type Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Received } from './exchange.ts';
import { type Refusal, refused } from './failure.ts';

export type Answer = {
  readonly status: number;
  readonly body: Json | undefined;
  /** For the log: what the API server says, shortened. Never what we sent. */
  readonly why: string;
  /** The API server's own words, whole; none where they are not to be repeated. */
  readonly message: string;
  readonly afterSeconds: number | undefined;
  /** Of the object, at fault. A 422 that names none is about a JSON Patch that does not fit the object. */
  readonly fields: readonly string[];
  /** `Expired`, `ResourceVersionTooLarge`: the refusal's own, then those of its causes. */
  readonly reasons: readonly string[];
  /** How much was read for it. */
  readonly bytes: number;
  /** What the API server's router says of a path that it does not know. */
  readonly isPlainNotFound: boolean;
};

const cause = record({ field: optional(text, ''), reason: optional(text, '') });
const spoken = record({
  reason: optional(text, ''),
  message: optional(text, ''),
  details: optional(
    record({ retryAfterSeconds: optional(number), causes: optional(list(cause), []) }),
  ),
});

const maxWhy = 500;

/** `discreet`: the server may quote the object that it refuses, so what it says about Secrets is not repeated. */
export function answerFrom(received: Received, { discreet }: Discretion): Answer {
  const body = jsonIn(received.text);
  const status = decode(spoken, body);
  const { reason, message, details } = status.ok ? status.value : nothing;
  const said = (discreet ? [reason] : [reason, message]).filter((part) => part !== '');
  return {
    status: received.status,
    body,
    why: said.join(': ').slice(0, maxWhy) || 'no reason given',
    message: discreet ? '' : message,
    afterSeconds: bearable(details?.retryAfterSeconds ?? secondsOf(received.retryAfter)),
    fields: (details?.causes ?? []).map(({ field }) => field),
    reasons: [reason, ...(details?.causes ?? []).map((cause) => cause.reason)],
    bytes: Buffer.byteLength(received.text),
    isPlainNotFound: received.text.trim() === '404 page not found',
  };
}

type Discretion = { readonly discreet: boolean };

const nothing = { reason: '', message: '', details: undefined };

export function refusal(what: string, { status, why, afterSeconds }: Answer): Error {
  const details: Refusal = afterSeconds === undefined ? { status } : { status, afterSeconds };
  return refused(what, why, details);
}

export function objectFrom(what: string, { body, status }: Answer): KubeObject {
  if (isJsonObject(body) && isJsonObject(body['metadata'])) return body as KubeObject;
  throw new Error(`cannot ${what}: the answer (${status}) is no object of the API`);
}

/** Items of a list say neither their kind nor their version, or that they are partial. */
export function itemsFrom(what: string, answer: Answer, kind: Kind): readonly KubeObject[] {
  const { kind: said, items } = isJsonObject(answer.body) ? answer.body : {};
  if (typeof said !== 'string' || !said.endsWith('List') || items === undefined) {
    throw new Error(`cannot ${what}: the answer is no list`);
  }
  // Go writes null where a list of metadata is empty.
  return (Array.isArray(items) ? items : []).map((item: Json) => {
    const stated = isJsonObject(item) ? item : {};
    const body = { ...stated, apiVersion: apiVersion(kind), kind: kind.kind };
    return objectFrom(what, { ...answer, body });
  });
}

/** A date, or what does not parse, is no number of seconds: the caller has a default. */
function secondsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

const mostSeconds = 60;

/** Whoever waits as long as any proxy on the way may say is deaf meanwhile, or asks at once again and again. */
function bearable(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.min(mostSeconds, Math.max(0, seconds));
}
