import { idOf, type ServedKind } from '../served-kinds.ts';

/** What a kind can be selected by, and what the server says to the rest. */
export type Selectable = { readonly fields: readonly string[]; refuses(field: string): string };

const own: Readonly<Record<string, readonly string[]>> = {
  pods: [
    ...['metadata.name', 'metadata.namespace', 'spec.nodeName', 'spec.restartPolicy', 'spec.host'],
    ...['spec.schedulerName', 'spec.serviceAccountName', 'spec.hostNetwork', 'status.phase'],
    ...['status.podIP', 'status.podIPs', 'status.nominatedNodeName'],
  ],
  nodes: ['metadata.name', 'spec.unschedulable'],
  namespaces: ['metadata.name', 'status.phase'],
  secrets: ['metadata.name', 'metadata.namespace', 'type'],
  services: ['metadata.name', 'metadata.namespace', 'spec.clusterIP', 'spec.type'],
  replicationcontrollers: ['metadata.name', 'metadata.namespace', 'status.replicas'],
  events: [
    ...['metadata.name', 'metadata.namespace', 'involvedObject.kind', 'involvedObject.namespace'],
    ...['involvedObject.name', 'involvedObject.uid', 'involvedObject.apiVersion', 'type'],
    ...['involvedObject.resourceVersion', 'involvedObject.fieldPath', 'reason', 'source'],
    'reportingComponent',
  ],
  'events.events.k8s.io': [
    ...['metadata.name', 'metadata.namespace', 'reason', 'reportingController', 'type'],
    ...['regarding.kind', 'regarding.namespace', 'regarding.name', 'regarding.uid'],
    ...['regarding.apiVersion', 'regarding.resourceVersion', 'regarding.fieldPath'],
  ],
  'certificatesigningrequests.certificates.k8s.io': ['metadata.name', 'spec.signerName'],
  'clustertrustbundles.certificates.k8s.io': ['metadata.name', 'spec.signerName'],
};

const always = ['metadata.name', 'metadata.namespace'];

export function selectableOf(kind: ServedKind): Selectable {
  const id = idOf(kind);
  if (id === 'jobs.batch') {
    const refuses = (field: string) => `field label "${field}" not supported for Job`;
    return { fields: [...always, 'status.successful'], refuses };
  }
  const fields = own[id];
  if (fields !== undefined) {
    return { fields, refuses: (field) => `field label not supported: ${field}` };
  }
  const custom = [...always, ...(kind.selectableFields ?? [])];
  if (kind.isCustom) {
    return { fields: custom, refuses: (field) => `field label not supported: ${field}` };
  }
  const refuses = (field: string) =>
    `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
  return { fields: always, refuses };
}

/** Events are kept in the words of the core. */
export function keptAs(field: string): string {
  return field.replace(/^regarding\./, 'involvedObject.');
}
