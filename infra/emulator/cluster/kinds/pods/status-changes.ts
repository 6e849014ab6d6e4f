import type { JsonObject } from '#shared/domain/json.ts';
import { checkedIp } from '../words/addresses.ts';
import { metadataOf, statusOf } from '../words/edit.ts';
import { invalid, says } from '../words/errors.ts';
import { checkedMetadataChange, immutable } from '../words/metadata.ts';
import { qualifiedName } from '../words/names.ts';
import { child, type Errors, items, none, number, type Place } from '../words/place.ts';

/** What a kubelet may not say of a pod. */
export function checkedStatusChange(next: Place, before: JsonObject): Errors {
  const status = child(next, 'status');
  const observed = child(status, 'observedGeneration');
  return [
    ...checkedMetadataChange(child(next, 'metadata'), metadataOf(before)),
    ...items(status, 'conditions').flatMap((at) =>
      says(qualifiedName)({ ...child(at, 'type'), path: `${at.path}.Type` }),
    ),
    ...['podIPs', 'hostIPs'].flatMap((key) =>
      items(status, key).flatMap((at) =>
        checkedIp({ path: at.path, value: child(at, 'ip').value }),
      ),
    ),
    ...(number(observed) < 0 ? [invalid(observed, 'must be a non-negative integer')] : none),
    ...immutable(child(status, 'qosClass'), statusOf(before)['qosClass']),
  ];
}
