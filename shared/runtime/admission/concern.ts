import type { JsonObject } from '#shared/domain/json.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import { type LabelSelector, labelSelector, matchesLabels } from '#shared/domain/selector.ts';
import { resolveConfigured } from '#shared/domain/settings.ts';
import type { Round } from './fuse.ts';
import type { Bound, FailureKind } from './host.ts';
import { isAskedFor, matchesObject } from './trigger.ts';

/** Whether a function is meant at all. `unknown` is a failure of the function: its `onFailure` answers. */
export type Concern =
  | { readonly kind: 'mine' }
  | { readonly kind: 'not-mine'; readonly why: string }
  | {
      readonly kind: 'unknown';
      readonly failure: FailureKind;
      readonly why: string;
      readonly cause: unknown;
    };

const mine: Concern = { kind: 'mine' };

/** At once where nothing has to be read: a promise costs each review, and few functions need one. */
export function concerns(
  bound: Bound,
  object: JsonObject,
  round: Round,
): Concern | Promise<Concern> {
  const { trigger } = bound.definition;
  const { asked } = round;
  if (!isAskedFor(trigger, asked)) return notMine(`it is not for ${whatIsAsked(round)}`);

  const { objectSelector } = trigger;
  if (objectSelector !== undefined && !matchesObject(objectSelector, object, asked.review.old)) {
    return notMine('the object is not selected by its labels');
  }
  if (!asksNamespace(bound, round)) return meetsConditions(bound, object, round);
  return concernsNamespace(bound, round).then((inNamespace) =>
    inNamespace.kind === 'mine' ? meetsConditions(bound, object, round) : inNamespace,
  );
}

/** Where the API server judged, it has selected what is mutated; about what may be refused it is checked once more. */
export function asksNamespace({ definition }: Bound, { asked, judge, host }: Round): boolean {
  const { namespaceSelector } = definition.trigger;
  if (namespaceSelector === undefined || asked.review.namespace === '') return false;
  if (selectsAll(resolveConfigured(namespaceSelector, host.settings(), labelSelector)))
    return false;
  return judge === 'cache' || definition.phase === 'validate';
}

function notMine(why: string): Concern {
  return { kind: 'not-mine', why };
}

function whatIsAsked({ asked: { review, resource } }: Round): string {
  const { operation, subresource } = review;
  return `${operation} of ${resource.resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

function selectsAll({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

async function concernsNamespace(bound: Bound, round: Round): Promise<Concern> {
  const { host, asked, judge } = round;
  const { namespace } = asked.review;
  try {
    const selected =
      selects(bound, await inTime(host.namespaces.find(namespace), round), round) ||
      (judge === 'api-server' &&
        selects(bound, await inTime(host.namespaces.findLive(namespace), round), round));
    return selected ? mine : notMine(`namespace ${namespace} is not selected by its labels`);
  } catch (cause: unknown) {
    const why = `namespace ${namespace} could not be read`;
    return { kind: 'unknown', failure: 'namespace-unknown', why, cause };
  }
}

/** A cluster that does not answer must not keep the answer to a review: half of the time that is left is enough. */
export async function inTime<T>(read: Promise<T>, { until }: Round, share = 1 / 2): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const ms = Math.max((until - performance.now()) * share, 0);
  const timer = setTimeout(() => reject(new Error('the cluster did not answer in time')), ms);
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function selects(
  { definition }: Bound,
  found: Namespace | undefined,
  round: Round,
): boolean {
  const { host, asked } = round;
  const { namespaceSelector } = definition.trigger;
  if (namespaceSelector === undefined) return true;
  const selector = resolveConfigured(namespaceSelector, host.settings(), labelSelector);
  const labels = { 'kubernetes.io/metadata.name': asked.review.namespace, ...found?.labels };
  return matchesLabels(selector, labels);
}

/** As the API server: one that does not hold excuses, whatever the others would do; then one that fails counts. */
function meetsConditions({ conditions }: Bound, object: JsonObject, { asked }: Round): Concern {
  if (conditions.length === 0) return mine;

  const variables = { object, oldObject: asked.review.old ?? null, request: asked.request };
  const found = conditions.map(({ name, holds }): Concern => {
    try {
      return holds(variables) ? mine : notMine(`its condition ${name} does not hold`);
    } catch (cause: unknown) {
      const why = `its condition ${name} could not be evaluated`;
      return { kind: 'unknown', failure: 'condition-failed', why, cause };
    }
  });
  return (
    found.find(({ kind }) => kind === 'not-mine') ??
    found.find(({ kind }) => kind === 'unknown') ??
    mine
  );
}
