import type { JsonObject } from '#shared/domain/json.ts';
import type { Reading } from '../../parts.ts';
import { isMirror, type Referred, referencesOf } from '../pod-references.ts';
import { inside, nameOf, text } from '../stated.ts';

export type Place = { readonly namespace: string; readonly name: string };

/** Whether a node has to do with an object: by a pod of its own, or of itself. */
export function isRelated(reading: Reading, node: string, kind: string, place: Place): boolean {
  const { namespace, name } = place;
  switch (kind) {
    case 'pods':
      return isOn(reading.find('pods', place), node);
    case 'persistentvolumes':
      return isClaimed(reading, node, reading.find('persistentvolumes', { name }));
    case 'volumeattachments.storage.k8s.io':
      return isOn(reading.find(kind, { name }), node);
    case 'secrets':
    case 'configmaps':
    case 'persistentvolumeclaims':
    case 'serviceaccounts':
      return isReferred(reading, node, { kind, namespace, name });
    default:
      return false;
  }
}

function isOn(object: JsonObject | undefined, node: string): boolean {
  return object !== undefined && inside(object['spec'])['nodeName'] === node;
}

function isReferred(
  reading: Reading,
  node: string,
  { kind, namespace, name }: Place & { readonly kind: Referred },
): boolean {
  // No node may get at anything by a pod that it has made up itself.
  return reading
    .list('pods', namespace)
    .some((pod) => isOn(pod, node) && !isMirror(pod) && referencesOf(pod)[kind].includes(name));
}

function isClaimed(reading: Reading, node: string, volume: JsonObject | undefined): boolean {
  if (volume === undefined || nameOf(volume) === '') return false;
  const claim = inside(inside(volume['spec'])['claimRef']);
  const place = { namespace: text(claim['namespace']), name: text(claim['name']) };
  return isReferred(reading, node, { kind: 'persistentvolumeclaims', ...place });
}
