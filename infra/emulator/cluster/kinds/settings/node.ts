import { isJsonObject, isList, type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { effects } from '../pods/scheduling-checks.ts';
import { checkedCidr } from '../words/addresses.ts';
import {
  all,
  type Edit,
  each,
  ensured,
  itemsOf,
  put,
  specOf,
  statusOf,
  textOf,
} from '../words/edit.ts';
import { forbidden, invalid, oneOf, required, says } from '../words/errors.ts';
import { emptied } from '../words/metadata.ts';
import { labelValue, qualifiedName } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  items,
  none,
  object,
  type Place,
  text,
} from '../words/place.ts';
import { amounts, nanoOf } from '../words/quantity.ts';

const facts = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
} as const;

function allocatable(status: JsonObject): JsonObject {
  const { capacity } = status;
  return status['allocatable'] === undefined ? put(status, 'allocatable', capacity) : status;
}

/** Times that are not stated are written as null. */
const condition: Edit = (stated) => ({
  lastHeartbeatTime: null,
  lastTransitionTime: null,
  ...stated,
});

/** The first range is also one of a list, and the other way around; where they differ, the older field is meant. */
const ranged: Edit = (spec) => {
  const { podCIDRs } = spec;
  const [one, all] = [textOf(spec, 'podCIDR'), isList(podCIDRs) ? podCIDRs : []];
  const ranges = one === '' || one === all[0] ? all : [one];
  return ranges.length === 0 ? spec : { ...spec, podCIDR: ranges[0] ?? '', podCIDRs: ranges };
};

export const node: KindRules = {
  defaults: all(
    ensured('spec', ranged),
    ensured(
      'status',
      all(
        amounts('capacity', 'allocatable'),
        allocatable,
        ensured(
          'daemonEndpoints',
          ensured('kubeletEndpoint', (each) => ({ Port: 0, ...each })),
        ),
        ensured('nodeInfo', (each) => ({ ...facts, ...each })),
        each('conditions', condition),
      ),
    ),
  ),
  // A kubelet registers with all that it knows.
  status: statusOf,
  created: tainted,
  isClusterWide: true,
  checks: (at) => [
    ...checkedTaints(child(at, 'spec')),
    ...['capacity', 'allocatable'].flatMap((key) => checkedAmounts(child(at, 'status', key))),
    ...items(child(at, 'spec'), 'podCIDRs').flatMap(checkedCidr),
  ],
  changes: checkedChange,
  warnings: ({ spec }) =>
    isJsonObject(spec) && textOf(spec, 'externalID') !== ''
      ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
      : [],
};

/** Only pods are counted in whole ones. */
function checkedAmounts(at: Place): Errors {
  return Object.keys(object(at)).flatMap((name) => {
    const amount = child(at, name);
    const nano = nanoOf(amount.value);
    return [
      ...(nano < 0n ? [invalid(amount, 'must be greater than or equal to 0')] : none),
      ...(name === 'pods' && nano % 10n ** 9n !== 0n
        ? [invalid(amount, 'must be an integer')]
        : none),
    ];
  });
}

const notReady = 'node.kubernetes.io/not-ready';

/** Nothing is put on a node before its kubelet has said that it is ready. */
function tainted(whole: JsonObject): JsonObject {
  const taints = itemsOf(specOf(whole), 'taints');
  const isTainted = taints.some(
    (taint) => textOf(taint, 'key') === notReady && textOf(taint, 'effect') === 'NoSchedule',
  );
  if (isTainted) return whole;
  const more = [...taints, { key: notReady, effect: 'NoSchedule' }];
  return put(whole, 'spec', { ...specOf(whole), taints: more });
}

/** Errors name the metadata, where taints once were. */
function checkedTaints(spec: Place): Errors {
  const seen = new Set<string>();
  return items(spec, 'taints').flatMap(({ value }, index) => {
    const at = { path: `metadata.taints[${index}]`, value };
    const [key, effect] = [child(at, 'key'), child(at, 'effect')];
    const bad = labelValue(text(child(at, 'value')));
    const own = `${text(key)}/${text(effect)}`;
    const again = seen.has(own);
    seen.add(own);
    return [
      ...says(qualifiedName)(key),
      ...(bad.length > 0 ? [invalid(child(at, 'value'), bad.join(';'))] : none),
      ...(isEmpty(effect) ? [required(effect)] : oneOf(effect, effects)),
      ...(again ? [repeated(at)] : none),
    ];
  });
}

function repeated({ path, value }: Place) {
  const { key = '', value: own = '', effect = '' } = object({ path, value });
  const shown = JSON.stringify({ Key: key, Value: own, Effect: effect, TimeAdded: null });
  const message = `Duplicate value: ${shown}: taints must be unique by key and effect pair`;
  return { field: path, reason: 'FieldValueDuplicate', message } as const;
}

function checkedChange(next: Place, before: JsonObject): Errors {
  const [spec, was] = [child(next, 'spec'), specOf(before)];
  const [cidrs, provider] = [child(spec, 'podCIDRs'), child(spec, 'providerID')];
  const isMoved =
    emptied(was['podCIDRs']) !== null && !sameJson(cidrs.value ?? null, was['podCIDRs'] ?? null);
  const isOther = textOf(was, 'providerID') !== '' && text(provider) !== was['providerID'];
  const only = (what: string) => `node updates may not change ${what} except from "" to valid`;
  return [
    ...(isMoved ? [forbidden(cidrs, only('podCIDR'))] : none),
    ...(isOther ? [forbidden(provider, only('providerID'))] : none),
  ];
}
