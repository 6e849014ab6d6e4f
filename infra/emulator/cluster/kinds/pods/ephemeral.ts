import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { Subresource } from '../../parts.ts';
import { countedAs, fixedMetadata } from '../kind-rules.ts';
import { goDiff } from '../words/difference.ts';
import { itemsOf, metadataOf, partOf, put, specOf, textOf } from '../words/edit.ts';
import { forbidden } from '../words/errors.ts';
import { checkedMetadataChange } from '../words/metadata.ts';
import { child, type Errors, none, root } from '../words/place.ts';
import { pod as podDefaults } from './pod-defaults.ts';
import { checkedPodSpec } from './spec-checks.ts';

const counted = countedAs(['spec']);
const key = 'ephemeralContainers';

/** Takes containers for debugging, and nothing else that is sent with them. */
export const ephemeralcontainers: Subresource = {
  shape: 'part',
  taken(next, before) {
    const spec = put(specOf(before), key, specOf(podDefaults(next))[key]);
    const taken = { ...before, metadata: fixedMetadata(next, before), spec };
    return counted(taken, before);
  },
  checked: (next, before) =>
    isStatic(before)
      ? [forbidden({ path: '', value: null }, 'static pods do not support ephemeral containers')]
      : [
          ...checkedMetadataChange(child(root(next), 'metadata'), metadataOf(before)),
          ...checkedPodSpec(child(root(next), 'spec'), true),
          ...checkedKept(next, before),
        ],
};

/** A pod that a kubelet has from a file. */
export function isStatic(pod: JsonObject): boolean {
  return 'kubernetes.io/config.mirror' in partOf(metadataOf(pod), 'annotations');
}

function checkedKept(next: JsonObject, before: JsonObject): Errors {
  const at = child(root(next), 'spec', key);
  return itemsOf(specOf(before), key).flatMap((old) => {
    const name = textOf(old, 'name');
    const now = itemsOf(specOf(next), key).find((each) => textOf(each, 'name') === name);
    if (now === undefined) {
      return [forbidden(at, `existing ephemeral containers "${name}" may not be removed\n`)];
    }
    if (sameJson(now, old)) return none;
    const why = `existing ephemeral containers "${name}" may not be changed\n${goDiff(old, now)}`;
    return [forbidden(at, why)];
  });
}
