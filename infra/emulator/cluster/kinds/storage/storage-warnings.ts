import type { JsonObject } from '#shared/domain/json.ts';
import { oldKey, oldKeys } from '../pods/old-labels.ts';
import { oldVolumes } from '../pods/volume-warnings.ts';
import { child, isStated, items, object, root, text } from '../words/place.ts';

type Warnings = readonly string[];

const oldNotes = {
  'volume.beta.kubernetes.io/storage-class':
    'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options':
    'deprecated since v1.31; use "mountOptions" attribute instead',
};

export function volumeObjectWarnings(volume: JsonObject): Warnings {
  const [spec, notes] = [
    child(root(volume), 'spec'),
    child(root(volume), 'metadata', 'annotations'),
  ];
  const policy = child(spec, 'persistentVolumeReclaimPolicy');
  const instead =
    'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...Object.entries(oldNotes)
      .filter(([key]) => key in object(notes))
      .map(([key, why]) => `${notes.path}[${key}]: ${why}`),
    ...(text(policy) === 'Recycle' ? [`${policy.path}: ${instead}`] : []),
    ...items(child(spec, 'nodeAffinity', 'required'), 'nodeSelectorTerms').flatMap(oldKeys),
    ...oldVolumes
      .filter(({ key, isOfPods }) => !isOfPods && isStated(child(spec, key)))
      .map(({ shown, why }) => `${spec.path}.${shown}: ${why}`),
  ];
}

/** There without the key, which its place says already. */
export function classWarnings(storageClass: JsonObject): Warnings {
  return items(root(storageClass), 'allowedTopologies')
    .flatMap((topology) => items(topology, 'matchLabelExpressions'))
    .map((each) => child(each, 'key'))
    .flatMap((key) => oldKey(key, `${key.path}: `));
}
