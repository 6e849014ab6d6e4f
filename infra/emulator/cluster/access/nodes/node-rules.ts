import type { Attributes } from '../../parts.ts';
import { byRules } from './least.ts';

export type Asked = Exclude<Attributes, { readonly path: string }>;
export type Node = { readonly name: string; isRelated(asked: Asked): boolean };

/** Why not; `undefined` where nothing is in the way. */
export type Rule = (asked: Asked, node: Node) => string | undefined;

export function idOf({ group, resource }: Asked): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** What a node may do to a kind, in the words of the real Node authorizer. */
export function ruleFor(asked: Asked): Rule {
  return narrower[idOf(asked)] ?? ruled;
}

const ruled: Rule = (asked) => (byRules(asked) ? undefined : '');

const related: Rule = (asked, node) => {
  if (!asked.name) return 'No Object name found';
  if (node.isRelated(asked)) return undefined;
  return `no relationship found between node '${node.name}' and this object`;
};

const read: Rule = (asked, node) => {
  if (!['get', 'list', 'watch'].includes(asked.verb)) return 'can only read resources of this type';
  if (asked.subresource) return 'cannot read subresource';
  if (!asked.namespace) return 'can only read namespaced object of this type';
  return related(asked, node);
};

const got: Rule = (asked, node) => {
  if (asked.verb !== 'get') return 'can only get individual resources of this type';
  return asked.subresource ? 'cannot get subresource' : related(asked, node);
};

const writes = ['update', 'patch'];

const claim: Rule = (asked, node) => {
  if (asked.subresource !== 'status') return got(asked, node);
  return writes.includes(asked.verb) ? related(asked, node) : 'can only get/update/patch this type';
};

const account: Rule = (asked, node) => {
  if (asked.verb === 'get' && !asked.subresource) return read(asked, node);
  if (asked.verb !== 'create' || !asked.name) {
    return 'can only create tokens for individual service accounts';
  }
  return asked.subresource === 'token'
    ? related(asked, node)
    : 'can only create token subresource of serviceaccount';
};

const kept = ['get', 'create', 'update', 'patch', 'delete'];

const lease: Rule = ({ verb, namespace, name }, node) => {
  if (!kept.includes(verb)) return 'can only get, create, update, patch, or delete a node lease';
  if (namespace !== 'kube-node-lease') {
    return 'can only access leases in the "kube-node-lease" system namespace';
  }
  // Of a new one the name is in the object.
  return verb === 'create' || name === node.name
    ? undefined
    : 'can only access node lease with the same name as the requesting node';
};

const storageNode: Rule = ({ verb, subresource, name }, node) => {
  if (!kept.includes(verb)) return 'can only get, create, update, patch, or delete a CSINode';
  if (subresource) return 'cannot authorize CSINode subresources';
  return verb === 'create' || name === node.name
    ? undefined
    : 'can only access CSINode with the same name as the requesting node';
};

function inPart({ verb, subresource = '' }: Asked, parts: Readonly<Record<string, string[]>>) {
  return parts[subresource]?.includes(verb) ? undefined : '';
}

const itself: Rule = (asked, node) => {
  const { verb, subresource, name = '' } = asked;
  if (subresource) return inPart(asked, { status: writes });
  if (verb === 'create' || writes.includes(verb)) return undefined;
  if (!['get', 'list', 'watch'].includes(verb)) return '';
  if (name === node.name) return undefined;
  const what = name === '' ? 'all nodes' : `'${name}'`;
  return `node '${node.name}' cannot read ${what}, only its own Node object`;
};

const pod: Rule = (asked, node) => {
  const { verb, subresource, name, fixed } = asked;
  if (subresource) return inPart(asked, { status: writes, eviction: ['create'] });
  if (verb === 'get') return got(asked, node);
  // Which ones it may make and delete is admission's to say.
  if (verb === 'create' || verb === 'delete') return undefined;
  if (verb !== 'list' && verb !== 'watch') return '';
  if (fixed?.['spec.nodeName'] === node.name) return undefined;
  return name ? related(asked, node) : 'can only list/watch pods with spec.nodeName field selector';
};

const narrower: Readonly<Record<string, Rule>> = {
  secrets: read,
  configmaps: read,
  persistentvolumeclaims: claim,
  persistentvolumes: got,
  'resourceclaims.resource.k8s.io': got,
  'volumeattachments.storage.k8s.io': got,
  serviceaccounts: account,
  'leases.coordination.k8s.io': lease,
  'csinodes.storage.k8s.io': storageNode,
  nodes: itself,
  pods: pod,
};
