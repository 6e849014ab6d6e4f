import type { JsonObject } from '#shared/domain/json.ts';
import { type KindRules, sentMetadata } from '../kind-rules.ts';
import { metadataOf, put, specOf, statusOf, textOf } from '../words/edit.ts';
import { forbidden } from '../words/errors.ts';
import {
  child,
  type Errors,
  isEmpty,
  items,
  none,
  type Place,
  root,
  text,
} from '../words/place.ts';
import { timestamp } from '../words/time.ts';
import { binding } from './binding.ts';
import { ephemeralcontainers } from './ephemeral.ts';
import { eviction } from './eviction.ts';
import { withLabelKeys } from './label-keys.ts';
import { log } from './log.ts';
import { pod as podDefaults, withAddresses } from './pod-defaults.ts';
import { newPodWarnings } from './pod-warnings.ts';
import { qosClassOf } from './qos-class.ts';
import { resize } from './resize.ts';
import { checkedPodSpec } from './spec-checks.ts';
import { checkedStatusChange } from './status-changes.ts';
import { withDefaultPriority, withDefaultTolerations } from './tolerations.ts';
import { checkedPodChange } from './updates.ts';

const podCounts = ['spec'] as const;

export const pod: KindRules = {
  defaults: podDefaults,
  status: (object, { now }) => ({
    phase: 'Pending',
    qosClass: qosClassOf(object),
    ...gated(object, timestamp(now)),
  }),
  created: (object) => withLabelKeys(withDefaultPriority(withDefaultTolerations(object))),
  kept: keptOfAdmission,
  counts: podCounts,
  checks: (at) => [...checkedPodSpec(child(at, 'spec'), true), ...checkedOfPodAlone(at)],
  checksOfNew,
  changes: (next, before) => checkedPodChange(next, before),
  warnings: newPodWarnings,
  subresources: {
    status: {
      shape: 'part',
      taken: takenStatus,
      checked: (next, before) => checkedStatusChange(root(next), before),
    },
    ephemeralcontainers,
    resize,
    binding,
    eviction,
    log,
  },
};

/** What the admission of the real server fills in on an update: it was computed once, at the beginning. */
function keptOfAdmission(next: JsonObject, before: JsonObject): JsonObject {
  const spec = ['priority', 'preemptionPolicy'].reduce<JsonObject>(
    (soFar, key) => (soFar[key] === undefined ? put(soFar, key, specOf(before)[key]) : soFar),
    specOf(next),
  );
  return withDefaultTolerations(put(next, 'spec', spec));
}

function gated(object: JsonObject, at: string): JsonObject {
  const gates = specOf(object)['schedulingGates'];
  if (!Array.isArray(gates) || gates.length === 0) return {};
  const why = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
    lastProbeTime: null,
    lastTransitionTime: at,
  };
  return { conditions: [why] };
}

/** A writer of the status may neither lose the class nor touch the owners. */
function takenStatus(next: JsonObject, before: JsonObject): JsonObject {
  const { qosClass } = statusOf(before);
  const status = statusOf(next);
  const whole = textOf(status, 'qosClass') === '' ? put(status, 'qosClass', qosClass) : status;
  const metadata = put(
    sentMetadata(next, before),
    'ownerReferences',
    metadataOf(before)['ownerReferences'],
  );
  return { ...before, metadata, status: withAddresses(whole) };
}

function checkedOfPodAlone(at: Place): Errors {
  const spec = child(at, 'spec');
  return [
    ...(isEmpty(child(spec, 'serviceAccountName')) ? tokensWithoutAccount(spec) : none),
    ...['containers', 'initContainers'].flatMap((key) =>
      items(spec, key).flatMap((container) => checkedBlanks(child(container, 'image'))),
    ),
  ];
}

function tokensWithoutAccount(spec: Place): Errors {
  return items(spec, 'volumes')
    .flatMap((volume) => items(child(volume, 'projected'), 'sources'))
    .map((source) => child(source, 'serviceAccountToken'))
    .filter(({ value }) => value !== undefined)
    .map((at) => forbidden(at, 'must not be specified when serviceAccountName is not set'));
}

function checkedBlanks(at: Place): Errors {
  if (text(at) === text(at).trim()) return none;
  const message = `Invalid value: ${JSON.stringify(text(at))}: must not have leading or trailing whitespace`;
  return [{ field: at.path, reason: 'FieldValueInvalid', message }];
}

function checksOfNew(at: Place): Errors {
  const spec = child(at, 'spec');
  const [ephemeral, node] = [child(spec, 'ephemeralContainers'), child(spec, 'nodeName')];
  const isGated = !isEmpty(child(spec, 'schedulingGates'));
  return [
    ...(isEmpty(ephemeral) ? none : [forbidden(ephemeral, 'cannot be set on create')]),
    ...(!isEmpty(node) && isGated
      ? [forbidden(node, 'cannot be set until all schedulingGates have been cleared')]
      : none),
  ];
}
