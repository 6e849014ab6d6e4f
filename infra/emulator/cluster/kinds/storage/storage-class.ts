import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { goDiff } from '../words/difference.ts';
import { all, ensured, inside, preset, specOf, without } from '../words/edit.ts';
import { forbidden, oneOf, required, stated } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child, type Errors, isEmpty, none, object, type Place } from '../words/place.ts';
import { amounts } from '../words/quantity.ts';
import { timestamp } from '../words/time.ts';
import { guarded } from './protection.ts';
import { classWarnings, volumeObjectWarnings } from './storage-warnings.ts';

/** Stored, with its defaults; nothing provisions. */
export const storageClass: KindRules = {
  defaults: preset({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  isClusterWide: true,
  checks: (at) => [
    ...stated(child(at, 'provisioner')),
    ...oneOf(child(at, 'reclaimPolicy'), ['Delete', 'Retain']),
    ...oneOf(child(at, 'volumeBindingMode'), ['Immediate', 'WaitForFirstConsumer']),
  ],
  changes: (next, before) => [
    ...['parameters', 'provisioner', 'reclaimPolicy']
      .filter((key) => !sameJson(child(next, key).value ?? null, before[key] ?? null))
      .map((key) => forbidden(child(next, key), `updates to ${key} are forbidden.`)),
    ...immutable(child(next, 'volumeBindingMode'), before['volumeBindingMode']),
  ],
  warnings: classWarnings,
};

export const volume: KindRules = {
  defaults: ensured(
    'spec',
    all(
      preset({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
      amounts('capacity'),
      inside('hostPath', (hostPath) => ({ type: '', ...hostPath })),
    ),
  ),
  status: (_, { now }) => ({ phase: 'Pending', lastPhaseTransitionTime: timestamp(now) }),
  created: guarded('kubernetes.io/pv-protection'),
  isClusterWide: true,
  checks: (at) => checkedVolume(child(at, 'spec')),
  changes: (next, before) => checkedSource(child(next, 'spec'), specOf(before)),
  warnings: volumeObjectWarnings,
};

/** What a volume says beside where it is. */
const aboutVolume = [
  ...['accessModes', 'capacity', 'claimRef', 'mountOptions', 'nodeAffinity'],
  ...['persistentVolumeReclaimPolicy', 'storageClassName', 'volumeAttributesClassName'],
  'volumeMode',
];

function checkedVolume(spec: Place): Errors {
  const isNowhere = isEmpty({ path: '', value: without(object(spec), aboutVolume) });
  return [
    ...['accessModes', 'capacity'].flatMap((key) => stated(child(spec, key))),
    ...checkedCapacity(child(spec, 'capacity')),
    ...(isNowhere ? [required(spec, 'must specify a volume type')] : none),
  ];
}

/** Only how much there is to store. */
function checkedCapacity(at: Place): Errors {
  const keys = Object.keys(object(at));
  if (keys.length === 1 && keys[0] === 'storage') return none;
  const message = `Unsupported value: ${JSON.stringify(at.value ?? null)}: supported values: "storage"`;
  return [{ field: at.path, reason: 'FieldValueNotSupported', message }];
}

function checkedSource(spec: Place, before: JsonObject): Errors {
  const [now, was] = [object(spec), before].map((each) => without(each, aboutVolume));
  const path = 'spec.persistentvolumesource';
  const why = `${path} is immutable after creation`;
  return [
    ...(sameJson(now ?? {}, was ?? {})
      ? none
      : [forbidden({ path, value: undefined }, `${why}\n${goDiff(was ?? {}, now ?? {})}`)]),
    ...immutable(child(spec, 'volumeMode'), before['volumeMode']),
  ];
}
