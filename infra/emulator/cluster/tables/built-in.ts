import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import { addresses } from './addresses.ts';
import { autoscalerColumns } from './autoscalers.ts';
import {
  ageColumn,
  at,
  count,
  flag,
  listAt,
  nameColumn,
  numberAt,
  selectorText,
  text,
  textAt,
} from './cells.ts';
import { signingRequestColumns, trustBundleColumns } from './certificates.ts';
import { eventColumns } from './events.ts';
import { nodeColumns } from './nodes.ts';
import { podColumns } from './pods.ts';
import { policyBindingColumns, policyColumns } from './policies.ts';
import { serviceColumns } from './services.ts';
import { claimColumns, volumeColumns } from './storage.ts';
import { storageDrivers } from './storage-drivers.ts';
import type { Columns } from './table.ts';
import { workloads } from './workloads.ts';

/** The columns that the real server has for the kinds that people look at. */
export const builtInColumns: Readonly<Record<string, Columns>> = {
  pods: podColumns,
  nodes: nodeColumns,
  services: serviceColumns,
  ...workloads,
  ...addresses,
  ...storageDrivers,
  'certificatesigningrequests.certificates.k8s.io': signingRequestColumns,
  'clustertrustbundles.certificates.k8s.io': trustBundleColumns,
  'validatingadmissionpolicies.admissionregistration.k8s.io': policyColumns,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindingColumns,
  'runtimeclasses.node.k8s.io': [
    nameColumn,
    text('Handler', (object) => textAt(object, 'handler')),
    ageColumn,
  ],
  // None is ever there.
  componentstatuses: [
    nameColumn,
    text('Status', () => ''),
    text('Message', () => ''),
    text('Error', () => ''),
  ],
  namespaces: [nameColumn, text('Status', (object) => textAt(object, 'status.phase')), ageColumn],
  configmaps: [
    nameColumn,
    text('Data', (object) => sizeAt(object, 'data') + sizeAt(object, 'binaryData')),
    ageColumn,
  ],
  secrets: [
    nameColumn,
    text('Type', (object) => textAt(object, 'type')),
    text('Data', (object) => sizeAt(object, 'data')),
    ageColumn,
  ],
  serviceaccounts: [nameColumn, ageColumn],
  events: eventColumns,
  'events.events.k8s.io': eventColumns,
  'leases.coordination.k8s.io': [
    nameColumn,
    text('Holder', (object) => textAt(object, 'spec.holderIdentity')),
    ageColumn,
  ],
  'poddisruptionbudgets.policy': [
    nameColumn,
    text('Min Available', (object) => textAt(object, 'spec.minAvailable') || 'N/A'),
    text('Max Unavailable', (object) => textAt(object, 'spec.maxUnavailable') || 'N/A'),
    count('Allowed Disruptions', (object) => numberAt(object, 'status.disruptionsAllowed')),
    ageColumn,
  ],
  'customresourcedefinitions.apiextensions.k8s.io': [
    nameColumn,
    {
      ...ageColumn,
      name: 'Created At',
      type: 'date',
      cell: ({ metadata }) => textAt(metadata, 'creationTimestamp'),
    },
  ],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks(),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks(),
  'apiservices.apiregistration.k8s.io': [
    nameColumn,
    text('Service', (object) => serviceOf(object)),
    text('Available', (object) => availability(object)),
    ageColumn,
  ],
  'endpointslices.discovery.k8s.io': [
    nameColumn,
    text('AddressType', (object) => textAt(object, 'addressType')),
    text('Ports', (object) =>
      listed(listAt(object, 'ports').map(({ port }) => String(port ?? '*'))),
    ),
    text('Endpoints', (object) =>
      listed(
        listAt(object, 'endpoints').flatMap(({ addresses }) =>
          addresses !== undefined && isList(addresses) ? addresses.map(String) : [],
        ),
      ),
    ),
    ageColumn,
  ],
  endpoints: [nameColumn, text('Endpoints', (object) => endpointsOf(object)), ageColumn],
  'roles.rbac.authorization.k8s.io': [nameColumn, createdAt()],
  'clusterroles.rbac.authorization.k8s.io': [nameColumn, createdAt()],
  'rolebindings.rbac.authorization.k8s.io': bindings(),
  'clusterrolebindings.rbac.authorization.k8s.io': bindings(),
  'priorityclasses.scheduling.k8s.io': [
    nameColumn,
    count('Value', (object) => numberAt(object, 'value')),
    flag('Global-Default', (object) => at(object, 'globalDefault') === true),
    ageColumn,
    text('PreemptionPolicy', (object) => textAt(object, 'preemptionPolicy')),
  ],
  'ingresses.networking.k8s.io': [
    nameColumn,
    text('Class', (object) => textAt(object, 'spec.ingressClassName') || '<none>'),
    text('Hosts', (object) => hostsOf(object)),
    text('Address', (object) =>
      listAt(object, 'status.loadBalancer.ingress')
        .map(({ ip, hostname }) => String(ip ?? hostname))
        .join(','),
    ),
    text('Ports', (object) => (listAt(object, 'spec.tls').length > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
  'storageclasses.storage.k8s.io': [
    nameColumn,
    text('Provisioner', (object) => textAt(object, 'provisioner')),
    text('ReclaimPolicy', (object) => textAt(object, 'reclaimPolicy')),
    text('VolumeBindingMode', (object) => textAt(object, 'volumeBindingMode')),
    text('AllowVolumeExpansion', (object) => String(at(object, 'allowVolumeExpansion') === true)),
    ageColumn,
  ],
  resourcequotas: [
    nameColumn,
    text('Request', (object) => quota(object, (key) => !key.startsWith('limits.'))),
    text('Limit', (object) => quota(object, (key) => key.startsWith('limits.'))),
    ageColumn,
  ],
  persistentvolumes: volumeColumns,
  persistentvolumeclaims: claimColumns,
  'horizontalpodautoscalers.autoscaling': autoscalerColumns,
  'networkpolicies.networking.k8s.io': [
    nameColumn,
    text('Pod-Selector', (object) => selectorText(at(object, 'spec.podSelector'))),
    ageColumn,
  ],
};

function sizeAt(object: JsonObject, path: string): number {
  const value = at(object, path);
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function webhooks(): Columns {
  return [nameColumn, count('Webhooks', (object) => listAt(object, 'webhooks').length), ageColumn];
}

function createdAt() {
  return {
    name: 'Created At',
    type: 'date',
    cell: ({ metadata }: JsonObject) => textAt(metadata, 'creationTimestamp'),
  };
}

function bindings(): Columns {
  const names = (kind: string) => (object: JsonObject) =>
    listAt(object, 'subjects')
      .filter((each) => each['kind'] === kind)
      .map(({ namespace, name }) =>
        kind === 'ServiceAccount' ? `${String(namespace ?? '')}/${String(name)}` : String(name),
      )
      .join(', ');
  return [
    nameColumn,
    text('Role', (object) => `${textAt(object, 'roleRef.kind')}/${textAt(object, 'roleRef.name')}`),
    ageColumn,
    ...(['Users', 'Groups', 'ServiceAccounts'] as const).map((name) =>
      text(name, names(name.slice(0, -1)), 1),
    ),
  ];
}

function serviceOf(object: JsonObject): string {
  const name = textAt(object, 'spec.service.name');
  return name === '' ? 'Local' : `${textAt(object, 'spec.service.namespace')}/${name}`;
}

function availability(object: JsonObject): string {
  const found = listAt(object, 'status.conditions').find(({ type }) => type === 'Available');
  if (found === undefined) return 'Unknown';
  return found['status'] === 'True'
    ? 'True'
    : `${String(found['status'])} (${String(found['reason'])})`;
}

function listed(all: readonly string[]): string {
  if (all.length === 0) return '<unset>';
  return all.length > 3
    ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...`
    : all.join(',');
}

function endpointsOf(object: JsonObject): string {
  const all = listAt(object, 'subsets').flatMap((subset) =>
    listAt(subset, 'addresses').flatMap(({ ip }) => {
      const ports = listAt(subset, 'ports');
      return ports.length === 0
        ? [String(ip)]
        : ports.map(({ port }) => `${String(ip)}:${String(port)}`);
    }),
  );
  return all.length === 0 ? '<none>' : listed(all);
}

function hostsOf(object: JsonObject): string {
  const hosts = listAt(object, 'spec.rules')
    .map(({ host }) => String(host ?? ''))
    .filter((host) => host !== '');
  return hosts.length === 0 ? '*' : listed(hosts);
}

/** `pods: 1/3` of each that is limited. */
function quota(object: JsonObject, isMeant: (key: string) => boolean): string {
  const hard = at(object, 'status.hard');
  if (!isJsonObject(hard)) return '';
  const used = at(object, 'status.used');
  const usedOf = (key: string) => (isJsonObject(used) ? String(used[key] ?? '0') : '0');
  const keys = Object.keys(hard).filter(isMeant).toSorted();
  return keys.map((key) => `${key}: ${usedOf(key)}/${String(hard[key])}`).join(', ');
}
