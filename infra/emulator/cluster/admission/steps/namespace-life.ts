import { isJsonObject } from '#shared/domain/json.ts';
import { inside } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import { notFound, type Refusal } from '../../refusal.ts';
import { forbids } from './step.ts';

const immortal = ['default', 'kube-system', 'kube-public'];

/** Nothing is made in a namespace that is not there or is ending. */
export function namespaceLife(what: Admitting, reading: Reading): Refusal | undefined {
  const { kind, operation, name } = what;
  if (kind.group === '' && kind.resource === 'namespaces') {
    const isDoomed = operation === 'DELETE' && immortal.includes(name);
    return isDoomed ? forbids(what, 'this namespace may not be deleted') : undefined;
  }
  return operation === 'CREATE' || operation === 'UPDATE' ? place(what, reading) : undefined;
}

function place(what: Admitting, reading: Reading): Refusal | undefined {
  const { kind, operation, namespace = '' } = what;
  // Who only asks for rights must not learn which namespaces there are.
  if (namespace === '' || kind.resource === 'localsubjectaccessreviews') return undefined;
  const found = reading.find('namespaces', { name: namespace });
  if (found === undefined) return notFound({ resource: 'namespaces', group: '', name: namespace });
  const isEnding = inside(found['status'])['phase'] === 'Terminating';
  return isEnding && operation === 'CREATE' ? ending(what, namespace) : undefined;
}

function ending(what: Admitting, namespace: string): Refusal {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refused = forbids(what, why);
  if (!isJsonObject(refused.body)) return refused;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  const details = { ...inside(refused.body['details']), causes: [cause] };
  return { ...refused, body: { ...refused.body, details } };
}
