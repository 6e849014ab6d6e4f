import type { KubeObject } from '../kube-object.ts';
import {
  credentialsIn,
  homeOf,
  isCopy,
  isOurs,
  isReplica,
  overwrittenSince,
  pullSecretType,
  replicaOf,
  sourceCredentials,
} from './pull-secret-replica.ts';
import type { Wish } from './pull-secret-wish.ts';
import type { PodBootstrapSettings } from './settings.ts';

/** What is true of one namespace. The Secrets are as the cluster has them: they are kept nowhere else. */
export type Facts = {
  readonly namespace: KubeObject | undefined;
  readonly wish: Wish;
  readonly source: KubeObject | undefined;
  /** Where what is present was copied from, if that is in another place. */
  readonly formerSource: KubeObject | undefined;
  /** What has the replica's name there. */
  readonly present: KubeObject | undefined;
  readonly rules: PodBootstrapSettings['pullSecret'];
  readonly now: Date;
};

export type Step =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'create'; readonly replica: KubeObject }
  | {
      readonly kind: 'overwrite';
      readonly replica: KubeObject;
      readonly present: KubeObject;
      /** Somebody else's until now. */
      readonly isAdopted: boolean;
    }
  /** Somebody else keeps his own there, and answers each of our writes by one of his. */
  | { readonly kind: 'contested'; readonly afterSeconds: number }
  | { readonly kind: 'remove'; readonly present: KubeObject }
  | { readonly kind: 'report'; readonly about: KubeObject; readonly what: Trouble };

export type Trouble = 'no-credentials' | 'a-copy' | 'another-type' | 'unchangeable';

const nothing: Step = { kind: 'nothing' };

export function planReplica(facts: Facts): Step {
  const { namespace, wish, source, present, rules } = facts;
  if (namespace === undefined || isEnding(namespace) || wish === 'unavailable') return nothing;
  if (namespace.metadata.name === rules.namespace) return aboutSource(source);
  if (present !== undefined && isEnding(present)) return nothing;

  if (wish === 'opted-out') return planRemoval(present);
  return source === undefined ? planWithout(facts) : planCopy(source, facts);
}

/** Who has mistyped the source's place has not taken it away: what was copied in another goes with that one. */
function planWithout({ present, formerSource }: Facts): Step {
  const isThere = formerSource !== undefined && sourceCredentials(formerSource) !== undefined;
  return isThere ? nothing : planRemoval(present);
}

function planCopy(source: KubeObject, { namespace, present, rules, now }: Facts): Step {
  // The replicas of its last good state are better than none.
  if (sourceCredentials(source) === undefined) return nothing;

  const replica = replicaOf(source, namespace?.metadata.name ?? '');
  return present === undefined
    ? { kind: 'create', replica }
    : unlessContested(planOverwrite(present, { replica, rules }), now);
}

/** Its namespace gets no replica: there it would be itself. */
function aboutSource(source: KubeObject | undefined): Step {
  if (source === undefined || sourceCredentials(source) !== undefined) return nothing;
  return { kind: 'report', about: source, what: isCopy(source) ? 'a-copy' : 'no-credentials' };
}

function planRemoval(present: KubeObject | undefined): Step {
  return present !== undefined && isOurs(present) ? { kind: 'remove', present } : nothing;
}

type Wanted = { readonly replica: KubeObject } & Pick<Facts, 'rules'>;

function planOverwrite(present: KubeObject, { replica, rules }: Wanted): Step {
  const isOwn = isOurs(present);
  if (present['type'] !== pullSecretType) {
    return { kind: 'report', about: present, what: 'another-type' };
  }
  if (!isOwn && rules.foreign === 'leave') return nothing;
  const isCurrent = credentialsIn(present) === credentialsIn(replica);
  const isFromHere = homeOf(present) === rules.namespace;
  if (isReplica(present) && isCurrent && isFromHere) return nothing;
  // Nobody can change it: ours is made anew, as its deletion wakes us again.
  if (present['immutable'] === true && !isCurrent) {
    return isOwn
      ? { kind: 'remove', present }
      : { kind: 'report', about: present, what: 'unchangeable' };
  }
  return { kind: 'overwrite', replica, present, isAdopted: !isOwn };
}

function unlessContested(step: Step, now: Date): Step {
  const afterSeconds = step.kind === 'overwrite' ? contestedSeconds(step.present, now) : 0;
  return afterSeconds > 0 ? { kind: 'contested', afterSeconds } : step;
}

const pauseMs = 3_000;

/** What is noted of times has no part of a second, and who may write it may note one to come. */
function contestedSeconds(present: KubeObject, now: Date): number {
  const agoMs = now.getTime() - (overwrittenSince(present)?.getTime() ?? Number.NEGATIVE_INFINITY);
  return agoMs >= 0 && agoMs < pauseMs ? Math.ceil((pauseMs - agoMs) / 1_000) : 0;
}

function isEnding({ metadata }: KubeObject): boolean {
  return metadata['deletionTimestamp'] !== undefined;
}
