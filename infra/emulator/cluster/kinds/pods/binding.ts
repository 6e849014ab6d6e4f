import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Subresource } from '../../parts.ts';
import { badRequest, isRefusal, type Refusal, refusal } from '../../refusal.ts';
import { itemsOf, metadataOf, partOf, put, specOf, statusOf, textOf } from '../words/edit.ts';
import { success } from '../words/success.ts';
import { timestamp } from '../words/time.ts';
import { withCondition } from './conditions.ts';

/** Puts a pod on a node, once. */
export const binding: Subresource = {
  shape: 'action',
  verb: 'create',
  type: { group: '', version: 'v1', kind: 'Binding' },
  misstated: (sent, name) => misnamed(sent, name) ?? unfit(sent),
  async act(sent, pod, { now, dryRun, update }) {
    const why = precondition(sent, pod) ?? taken(pod);
    if (why !== undefined) return why;
    if (dryRun) return success(201);
    const written = update('pods', bound(pod, sent, timestamp(now)));
    return isRefusal(written) ? written : success(201);
  },
};

function misnamed(sent: JsonObject, name: string): Refusal | undefined {
  return textOf(metadataOf(sent), 'name') === name
    ? undefined
    : badRequest('name in URL does not match name in Binding object');
}

function unfit(sent: JsonObject): Refusal | undefined {
  const target = partOf(sent, 'target');
  const [kind, name] = [textOf(target, 'kind'), textOf(target, 'name')];
  const errors = [
    ...(kind !== '' && kind !== 'Node'
      ? [`target.kind: Unsupported value: "${kind}": supported values: "Node", "<empty>"`]
      : []),
    ...(name === '' ? ['target.name: Required value'] : []),
  ];
  if (errors.length === 0) return undefined;
  // The real server takes it for a fault of its own.
  const message = errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`;
  return refusal(500, { message });
}

function precondition(sent: JsonObject, pod: JsonObject): Refusal | undefined {
  const [wanted, own] = [metadataOf(sent), metadataOf(pod)];
  const other = (['uid', 'resourceVersion'] as const).find(
    (key) => textOf(wanted, key) !== '' && wanted[key] !== own[key],
  );
  if (other === undefined) return undefined;
  const called = other === 'uid' ? 'UID' : 'ResourceVersion';
  const key = `/registry/pods/${own['namespace']}/${own['name']}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${called} in precondition: ${wanted[other]}, ${called} in object meta: ${own[other]}`;
  return conflict('pods', pod, why);
}

function taken(pod: JsonObject): Refusal | undefined {
  const name = textOf(metadataOf(pod), 'name');
  const node = textOf(specOf(pod), 'nodeName');
  if (metadataOf(pod)['deletionTimestamp'] !== undefined) {
    return conflict(
      'pods/binding',
      pod,
      `pod ${name} is being deleted, cannot be assigned to a host`,
    );
  }
  if (node !== '') {
    return conflict('pods/binding', pod, `pod ${name} is already assigned to node "${node}"`);
  }
  return itemsOf(specOf(pod), 'schedulingGates').length > 0
    ? conflict('pods/binding', pod, `pod ${name} has non-empty .spec.schedulingGates`)
    : undefined;
}

function conflict(kind: string, pod: JsonObject, why: string): Refusal {
  const name = textOf(metadataOf(pod), 'name');
  return refusal(409, {
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${kind} "${name}": ${why}`,
    details: { name, kind },
  });
}

/** Annotations and labels of the binding go to the pod. */
function bound(pod: JsonObject, sent: JsonObject, at: string): JsonObject {
  const metadata = (['annotations', 'labels'] as const).reduce<JsonObject>((soFar, key) => {
    const more = metadataOf(sent)[key];
    return isJsonObject(more) ? put(soFar, key, { ...partOf(soFar, key), ...more }) : soFar;
  }, metadataOf(pod));
  const scheduled = { type: 'PodScheduled', status: 'True' };
  const status = put(statusOf(pod), 'nominatedNodeName', undefined);
  return {
    ...pod,
    metadata,
    spec: { ...specOf(pod), nodeName: textOf(partOf(sent, 'target'), 'name') },
    status: withCondition(status, scheduled, at),
  };
}
