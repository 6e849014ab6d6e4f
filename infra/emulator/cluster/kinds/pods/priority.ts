import type { JsonObject } from '#shared/domain/json.ts';
import { type Refusal, refusal } from '../../refusal.ts';
import { metadataOf, numberOf, put, specOf, textOf } from '../words/edit.ts';

/**
 * For the admission of new pods: the class of priority that a pod names, or the default one, in numbers.
 * Without it a pod gets what it states, or nought.
 */
export function withPriority(
  pod: JsonObject,
  classes: readonly JsonObject[],
): JsonObject | Refusal {
  const spec = specOf(pod);
  const name = textOf(spec, 'priorityClassName');
  const found = name === '' ? defaultOf(classes) : classes.find((each) => nameOf(each) === name);
  if (name !== '' && found === undefined) {
    return forbidden(pod, `no PriorityClass with name ${name} was found`);
  }
  const priority = numberOf(found, 'value') ?? 0;
  const policy = textOf(found, 'preemptionPolicy') || 'PreemptLowerPriority';
  const why = clash(spec, priority, policy);
  if (why !== undefined) return forbidden(pod, why);
  const className = found === undefined ? undefined : nameOf(found);
  const next = { ...spec, priority, preemptionPolicy: policy };
  return put(pod, 'spec', put(next, 'priorityClassName', className));
}

function clash(spec: JsonObject, priority: number, policy: string): string | undefined {
  const [stated, statedPolicy] = [numberOf(spec, 'priority'), textOf(spec, 'preemptionPolicy')];
  if (stated !== undefined && stated !== priority) {
    return `the integer value of priority (${stated}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
  }
  return statedPolicy !== '' && statedPolicy !== policy
    ? `the string value of PreemptionPolicy (${statedPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`
    : undefined;
}

/** Of two default classes the lesser one. */
function defaultOf(classes: readonly JsonObject[]): JsonObject | undefined {
  return classes
    .filter(({ globalDefault }) => globalDefault === true)
    .toSorted((one, other) => (numberOf(one, 'value') ?? 0) - (numberOf(other, 'value') ?? 0))[0];
}

function nameOf(object: JsonObject): string {
  return textOf(metadataOf(object), 'name');
}

function forbidden(pod: JsonObject, why: string): Refusal {
  const name = nameOf(pod) || textOf(metadataOf(pod), 'generateName');
  return refusal(403, {
    reason: 'Forbidden',
    message: `pods "${name}" is forbidden: ${why}`,
    details: { name, kind: 'pods' },
  });
}
