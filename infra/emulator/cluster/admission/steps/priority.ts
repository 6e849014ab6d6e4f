import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { inside, nameOf, text } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import { idOf } from '../../served-kinds.ts';
import { forbids, isPod, withSpec } from './step.ts';

/** A pod's number comes from its class. */
export function priority(what: Admitting, reading: Reading): JsonObject | Refusal | undefined {
  const { object, before, operation } = what;
  if (!isPod(what) || object === undefined) return undefined;
  if (operation === 'UPDATE') return kept(object, inside(before?.['spec']));
  return operation === 'CREATE' ? classed(what, object, reading) : undefined;
}

/** An update that leaves it out does not mean to take it away. */
function kept(object: JsonObject, { priority, preemptionPolicy }: JsonObject): JsonObject {
  const spec = inside(object['spec']);
  return withSpec(object, {
    ...(spec['priority'] === undefined && priority !== undefined && { priority }),
    ...(spec['preemptionPolicy'] === undefined &&
      preemptionPolicy !== undefined && { preemptionPolicy }),
  });
}

type Class = {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string | undefined;
};

function classed(what: Admitting, object: JsonObject, reading: Reading): JsonObject | Refusal {
  const spec = inside(object['spec']);
  const found = classFor(what, text(spec['priorityClassName']), reading);
  if (isRefusal(found)) return found;
  const { name, value, preemptionPolicy } = found;
  const computed = 'priority admission controller computed';
  const from = 'from the given PriorityClass name';
  const stated = spec['priority'] ?? value;
  if (stated !== value) {
    return forbids(
      what,
      `the integer value of priority (${stated}) must not be provided in pod spec; ${computed} ${value} ${from}`,
    );
  }
  const policy = spec['preemptionPolicy'] ?? preemptionPolicy;
  if (preemptionPolicy !== undefined && policy !== preemptionPolicy) {
    return forbids(
      what,
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; ${computed} ${preemptionPolicy} ${from}`,
    );
  }
  return withSpec(object, {
    ...(name !== '' && { priorityClassName: name }),
    priority: value,
    ...(policy !== undefined && { preemptionPolicy: policy }),
  });
}

function classFor(what: Admitting, name: string, reading: Reading): Class | Refusal {
  if (name === '') return defaultClass(reading);
  const found = reading.find('priorityclasses.scheduling.k8s.io', { name });
  if (found !== undefined) return classOf(found);
  return builtIn[name] ?? forbids(what, `no PriorityClass with name ${name} was found`);
}

function defaultClass(reading: Reading): Class {
  const [lowest] = reading
    .list('priorityclasses.scheduling.k8s.io')
    .filter((each) => each['globalDefault'] === true)
    .map(classOf)
    .toSorted((one, other) => one.value - other.value);
  return lowest ?? { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };
}

function classOf(object: JsonObject): Class {
  const { value, preemptionPolicy } = object;
  return {
    name: nameOf(object),
    value: Number(value ?? 0),
    preemptionPolicy: typeof preemptionPolicy === 'string' ? preemptionPolicy : undefined,
  };
}

/** The real server makes these two at its start. */
const builtIn: Readonly<Record<string, Class>> = {
  'system-cluster-critical': {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    preemptionPolicy: 'PreemptLowerPriority',
  },
  'system-node-critical': {
    name: 'system-node-critical',
    value: 2_000_001_000,
    preemptionPolicy: 'PreemptLowerPriority',
  },
};

/** They stay. */
export function systemClass(what: Admitting): Refusal | undefined {
  const { kind, operation, name } = what;
  const isClass = idOf(kind) === 'priorityclasses.scheduling.k8s.io';
  return isClass && operation === 'DELETE' && builtIn[name] !== undefined
    ? forbids(what, 'this is a system priority class and cannot be deleted')
    : undefined;
}

/** Of all classes one is the default. */
export function oneDefaultPriority(what: Admitting, reading: Reading): Refusal | undefined {
  const { kind, object, operation, name } = what;
  if (kind.resource !== 'priorityclasses' || !isJsonObject(object)) return undefined;
  if (object['globalDefault'] !== true) return undefined;
  const other = defaultClass(reading).name;
  const isOwn = other === '' || (operation === 'UPDATE' && other === name);
  return isOwn
    ? undefined
    : forbids(
        what,
        `PriorityClass ${other} is already marked as default. Only one default can exist`,
      );
}
