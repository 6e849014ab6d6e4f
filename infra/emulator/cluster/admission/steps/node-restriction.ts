import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { nodeOf } from '../../access/nodes/node-rights.ts';
import { isMirror, refersTo } from '../../access/pod-references.ts';
import { inside, labelsOf, metadataOf, nameOf, objects, text, uidOf } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import type { Refusal } from '../../refusal.ts';
import { idOf } from '../../served-kinds.ts';
import { forbiddenLabels } from './node-labels.ts';
import { forbids } from './step.ts';

/** A node writes of itself and of its own pods alone: it may not draw to it what was not meant for it. */
export function nodeRestriction(what: Admitting, reading: Reading): Refusal | undefined {
  const node = nodeOf(what.user);
  if (node === undefined) return undefined;
  const why = restrictions[idOf(what.kind)]?.(what, node, reading);
  return why === undefined ? undefined : forbids(what, why);
}

/** Why not. */
type Restriction = (what: Admitting, node: string, reading: Reading) => string | undefined;

const pods: Restriction = (what, node, reading) => {
  switch (what.subresource) {
    case undefined:
      return what.operation === 'CREATE'
        ? newPod(what.object ?? {}, node, reading)
        : gone(what, node);
    case 'status':
      return status(what, node);
    case 'eviction':
      return eviction(what, node, reading);
    default:
      return `unexpected pod subresource ${quoted(what.subresource)}, only 'status' and 'eviction' are allowed`;
  }
};

/** Of a manifest that lies on the node: what it refers to nobody has let it have. */
function newPod(pod: JsonObject, node: string, reading: Reading): string | undefined {
  const only = `node ${quoted(node)} can only create`;
  if (!isMirror(pod)) {
    return `pod does not have "kubernetes.io/config.mirror" annotation, ${only} mirror pods`;
  }
  if (nodeNameIn(pod) !== node) return `${only} pods with spec.nodeName set to itself`;
  return misowned(pod, node, reading) ?? referring(pod, node);
}

function misowned(pod: JsonObject, node: string, reading: Reading): string | undefined {
  const only = `node ${quoted(node)} can only create pods with`;
  const [owner, ...more] = objects(metadataOf(pod)['ownerReferences']);
  if (more.length > 0) return `${only} a single owner reference set to itself`;
  const isIts =
    owner?.['apiVersion'] === 'v1' && owner['kind'] === 'Node' && owner['name'] === node;
  if (owner === undefined || !isIts) return `${only} an owner reference set to itself`;
  if (owner['controller'] !== true) return `${only} a controller owner reference set to itself`;
  if (owner['blockOwnerDeletion'] === true) {
    return `node ${quoted(node)} must not set blockOwnerDeletion on an owner reference`;
  }
  const uid = uidOf(reading.find('nodes', { name: node }));
  if (uid === owner['uid']) return undefined;
  return `node ${node} UID mismatch: expected ${text(owner['uid'])} got ${uid}`;
}

function referring(pod: JsonObject, node: string): string | undefined {
  const order = ['serviceaccounts', 'secrets', 'configmaps', 'persistentvolumeclaims'] as const;
  const found = order.find((kind) => refersTo(pod, kind));
  return found && `node ${quoted(node)} can not create pods that reference ${found}`;
}

function gone({ operation, before }: Admitting, node: string): string | undefined {
  if (operation !== 'DELETE') {
    return `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`;
  }
  if (nodeNameIn(before) === node) return undefined;
  return `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`;
}

function status({ object, before }: Admitting, node: string): string | undefined {
  if (nodeNameIn(before) !== node) {
    return `node ${quoted(node)} can only update pod status for pods with spec.nodeName set to itself`;
  }
  const isSame = sameJson(labelsOf(object), labelsOf(before));
  return isSame ? undefined : `node ${quoted(node)} cannot update labels through pod status`;
}

function eviction({ namespace, name }: Admitting, node: string, reading: Reading) {
  if (nodeNameIn(reading.find('pods', { namespace, name })) === node) return undefined;
  return `node ${node} can only evict pods with spec.nodeName set to itself`;
}

const nodes: Restriction = ({ name, operation, object, before }, node) => {
  if (name !== node) return `node ${quoted(node)} is not allowed to modify node ${quoted(name)}`;
  if (operation === 'DELETE') return undefined;
  const labels = forbiddenLabels(labelsOf(object), labelsOf(before)).join(', ');
  if (operation === 'CREATE') {
    return labels === ''
      ? undefined
      : `node ${quoted(node)} is not allowed to set the following labels: ${labels}`;
  }
  if (isOther(object, before, (each) => inside(each?.['spec'])['taints'])) {
    return `node ${quoted(node)} is not allowed to modify taints`;
  }
  if (isOther(object, before, (each) => metadataOf(each)['ownerReferences'])) {
    return `node ${quoted(node)} is not allowed to modify ownerReferences`;
  }
  return labels === '' ? undefined : `is not allowed to modify labels: ${labels}`;
};

type Part = (object: JsonObject | undefined) => JsonObject[string] | undefined;

function isOther(object: JsonObject | undefined, before: JsonObject | undefined, part: Part) {
  return !sameJson(part(object) ?? [], part(before) ?? []);
}

const claims: Restriction = ({ subresource }) =>
  subresource === 'status' ? undefined : 'may only update PVC status';

const accounts: Restriction = ({ operation, subresource, namespace, object }, node, reading) => {
  if (operation !== 'CREATE' || subresource !== 'token') return undefined;
  const bound = inside(inside(object?.['spec'])['boundObjectRef']);
  const isOfPod = bound['apiVersion'] === 'v1' && bound['kind'] === 'Pod' && text(bound['name']);
  if (!isOfPod) return 'node requested token not bound to a pod';
  if (text(bound['uid']) === '') return 'node requested token with a pod binding without a uid';
  const pod = reading.find('pods', { namespace, name: text(bound['name']) });
  if (uidOf(pod) !== bound['uid']) {
    return `the UID in the bound object reference (${text(bound['uid'])}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  return nodeNameIn(pod) === node
    ? undefined
    : 'node requested token bound to a pod scheduled on a different node';
};

function named(what: string): Restriction {
  return ({ name, object }, node) =>
    (name || nameOf(object)) === node
      ? undefined
      : `can only access ${what} with the same name as the requesting node`;
}

const restrictions: Readonly<Record<string, Restriction>> = {
  pods,
  nodes,
  persistentvolumeclaims: claims,
  serviceaccounts: accounts,
  'leases.coordination.k8s.io': named('node lease'),
  'csinodes.storage.k8s.io': named('CSINode'),
};

function nodeNameIn(pod: JsonObject | undefined): string {
  return text(inside(pod?.['spec'])['nodeName']);
}

function quoted(value: string): string {
  return JSON.stringify(value);
}
