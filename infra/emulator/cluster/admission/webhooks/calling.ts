import type { JsonObject } from '#shared/domain/json.ts';
import type { Decide } from '../../custom/cel/libraries/authorizer.ts';
import type { GroupVersionKind, Reading } from '../../parts.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import { flawOf } from '../reaching/authorities.ts';
import type { Connections } from '../reaching/connections.ts';
import { outOfTime } from '../reaching/go-words.ts';
import { posted } from '../reaching/posting.ts';
import { targetOf } from '../reaching/target.ts';
import { type Verdict, verdictOf } from './answer.ts';
import type { Asked } from './asked.ts';
import { meetsConditions } from './conditions.ts';
import type { Hook, Phase } from './hook.ts';
import { type Called, calledFor } from './matching.ts';
import { noDryRun } from './refusing.ts';
import { requestOf, reviewText, reviewVersion, type Versioned } from './review.ts';

export type Calling = {
  readonly reading: Reading;
  readonly connections: Connections;
  readonly phase: Phase;
  /** For conditions that ask the `authorizer`. */
  readonly decide: Decide;
  /** As of what is admitted. */
  readonly until?: number | undefined;
  /** Into the version that a webhook's rules name. */
  converted(object: JsonObject, to: GroupVersionKind): JsonObject | Promise<JsonObject>;
};

export type Prepared = {
  readonly called: Called;
  readonly versioned: Versioned;
  readonly request: ReturnType<typeof requestOf>;
};

/** The call to make, if the webhook is one for this request. */
export async function prepared(
  hook: Hook,
  asked: Asked,
  { reading, converted, decide }: Calling,
): Promise<Prepared | Refusal | undefined> {
  const called = calledFor(hook, asked, reading);
  if (called === undefined || isRefusal(called)) return called;
  const versioned = await inVersion(called, asked, converted);
  const request = requestOf(called, asked, versioned);
  if (hook.conditions.length > 0) {
    const holds = meetsConditions(hook, { asked, versioned, request: seen(request), decide });
    if (isRefusal(holds)) return holds;
    if (!holds) return undefined;
  }
  return { called, versioned, request };
}

async function inVersion(
  { kind, resource }: Called,
  asked: Asked,
  converted: Calling['converted'],
): Promise<Versioned> {
  const { object, before } = asked.what;
  if (resource === asked.resource) return { object, before };
  return {
    object: object && (await converted(object, kind)),
    before: before && (await converted(before, kind)),
  };
}

/** A condition sees the objects beside the request. */
function seen({
  object: _object,
  oldObject: _oldObject,
  ...request
}: Prepared['request']): JsonObject {
  return request;
}

export async function asked(
  { called, request }: Prepared,
  { reading, connections, phase, until }: Calling,
): Promise<Verdict | Refusal> {
  const { hook } = called;
  if (request.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun') {
    return noDryRun(hook.name);
  }
  const version = reviewVersion(hook.reviewVersions);
  if (version === undefined) return failed(unknownVersions);
  const target = targetOf(hook.clientConfig, reading);
  if (target === undefined) return failed(noPlace);
  const flaw = target.ca === undefined ? undefined : flawOf(target.ca);
  if (flaw !== undefined) return failed(`could not get REST client: ${flaw}`);
  const body = reviewText(request, version);
  const timeoutSeconds = secondsFor(hook, until);
  if (timeoutSeconds <= 0) return failed(outOfTime);
  const answer = await posted({ target, body, timeoutSeconds }, connections);
  return verdictOf(answer, { uid: request.uid, version, phase });
}

/** No longer than whoever asks will wait: it is told in whole seconds. */
function secondsFor({ timeoutSeconds }: Hook, until: number | undefined): number {
  if (until === undefined) return timeoutSeconds;
  return Math.min(timeoutSeconds, Math.ceil((until - performance.now()) / 1_000));
}

const unknownVersions =
  'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)';
const noPlace = 'could not get REST client: webhook configuration must have either service or URL';

function failed(why: string): Verdict {
  return { kind: 'failed', why };
}
