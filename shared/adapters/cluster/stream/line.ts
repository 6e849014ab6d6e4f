import { isJsonObject, type JsonObject, jsonIn } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Line, Refused, Scope } from '#shared/domain/watched.ts';
import { answerFrom } from '../answer.ts';
import { withKind } from './list.ts';
import { namedIn } from './named-in.ts';
import { refusedFrom } from './refused.ts';
import type { Cut } from './splitter.ts';

/** An ERROR ends the watch, whatever follows it. */
export type Read = Line | { readonly kind: 'end'; readonly end: Refused };

export function lineFrom(cut: Cut, scope: Scope): Read {
  if (cut.kind === 'oversized') {
    return { kind: 'oversized', ...namedIn(cut.head.toString('utf8')), bytes: cut.bytes };
  }
  const text = cut.bytes.toString('utf8');
  const event = jsonIn(text);
  return isJsonObject(event)
    ? eventFrom(event, scope, cut.bytes.length)
    : garbled(`${text.length} letters, no event`);
}

function eventFrom({ type, object }: JsonObject, scope: Scope, bytes: number): Read {
  if (!isJsonObject(object)) return garbled('an event without an object');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return change(type, bytes, withKind(object, scope));
    case 'BOOKMARK':
      return bookmark(object);
    case 'ERROR':
      return { kind: 'end', end: errorFrom(object, scope) };
    default:
      return garbled('an event of no known type');
  }
}

type Type = Extract<Line, { readonly kind: 'change' }>['type'];

function change(type: Type, bytes: number, object: KubeObject | undefined): Read {
  return object === undefined
    ? garbled('an object without metadata')
    : { kind: 'change', type, object, bytes };
}

function bookmark({ metadata }: JsonObject): Read {
  const { resourceVersion, annotations } = isJsonObject(metadata) ? metadata : {};
  if (typeof resourceVersion !== 'string') return garbled('a bookmark without a version');
  const ends = isJsonObject(annotations) && annotations['k8s.io/initial-events-end'] === 'true';
  return { kind: 'bookmark', resourceVersion, isInitialEnd: ends };
}

/** An ERROR carries a Status; one that carries anything else is as good as a failing server. */
function errorFrom(object: JsonObject, { kind }: Scope): Refused {
  const status = typeof object['code'] === 'number' ? object['code'] : 500;
  const received = { status, retryAfter: undefined, text: JSON.stringify(object) };
  const answer = answerFrom(received, { discreet: kind.resource === 'secrets' });
  return refusedFrom(answer) ?? { kind: 'busy', why: answer.why, afterSeconds: undefined };
}

function garbled(why: string): Read {
  return { kind: 'garbled', why };
}
