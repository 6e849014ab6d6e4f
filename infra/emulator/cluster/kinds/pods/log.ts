import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Subresource } from '../../parts.ts';
import { badRequest, type Refusal } from '../../refusal.ts';
import { itemsOf, metadataOf, specOf, textOf } from '../words/edit.ts';

/** No container runs, so none has written anything; that is said in the words of a log. */
export const log: Subresource = {
  shape: 'action',
  verb: 'get',
  type: { group: '', version: 'v1', kind: 'PodLogOptions' },
  act: (sent, pod) =>
    Promise.resolve(unknownContainer(pod, textOf(sent, 'container')) ?? said(pod)),
};

/** As long as no node has the pod there is nothing. */
function said(pod: JsonObject): string {
  const name = textOf(metadataOf(pod), 'name');
  const has = textOf(specOf(pod), 'nodeName') !== '';
  return has ? `The emulated cluster runs no containers: pod ${name} has no logs.\n` : '';
}

const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Of several containers one has to be named. */
export function unknownContainer(pod: JsonObject, wanted: string): Refusal | undefined {
  const name = textOf(metadataOf(pod), 'name');
  const [own = [], first = []] = lists.map((key) => namesOf(pod, key));
  if (wanted === '') return ownContainer(pod, own, first);
  const isThere = lists.some((key) => namesOf(pod, key).includes(wanted));
  return isThere ? undefined : badRequest(`container ${wanted} is not valid for pod ${name}`);
}

function ownContainer(
  pod: JsonObject,
  own: readonly string[],
  first: readonly string[],
): Refusal | undefined {
  const { annotations } = metadataOf(pod);
  const usual = isJsonObject(annotations) && annotations['kubectl.kubernetes.io/default-container'];
  if (own.length === 1 || (typeof usual === 'string' && own.includes(usual))) return undefined;
  const others = first.length === 0 ? '' : ` or one of the init containers: [${first.join(' ')}]`;
  const name = textOf(metadataOf(pod), 'name');
  return badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${own.join(' ')}]${others}`,
  );
}

function namesOf(pod: JsonObject, key: string): readonly string[] {
  return itemsOf(specOf(pod), key).map((container) => textOf(container, 'name'));
}
