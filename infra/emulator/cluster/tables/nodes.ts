import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { ageColumn, at, listAt, nameColumn, stated, text, textAt } from './cells.ts';
import type { Columns } from './table.ts';

const unknown = (value: string) => (value === '' ? '<unknown>' : value);

export const nodeColumns: Columns = [
  nameColumn,
  text('Status', statusOf),
  text('Roles', (node) => stated(rolesOf(node).join(','))),
  ageColumn,
  text('Version', (node) => textAt(node, 'status.nodeInfo.kubeletVersion')),
  text('Internal-IP', (node) => stated(addressOf(node, 'InternalIP')), 1),
  text('External-IP', (node) => stated(addressOf(node, 'ExternalIP')), 1),
  text('OS-Image', (node) => unknown(textAt(node, 'status.nodeInfo.osImage')), 1),
  text('Kernel-Version', (node) => unknown(textAt(node, 'status.nodeInfo.kernelVersion')), 1),
  text(
    'Container-Runtime',
    (node) => unknown(textAt(node, 'status.nodeInfo.containerRuntimeVersion')),
    1,
  ),
];

function statusOf(node: JsonObject): string {
  const ready = listAt(node, 'status.conditions').find(({ type }) => type === 'Ready');
  const first = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec.unschedulable') === true ? `${first},SchedulingDisabled` : first;
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesOf({ metadata }: JsonObject): readonly string[] {
  const labels = at(metadata, 'labels');
  if (!isJsonObject(labels)) return [];
  const roles = Object.keys(labels)
    .filter((key) => key.startsWith(rolePrefix) && key.length > rolePrefix.length)
    .map((key) => key.slice(rolePrefix.length));
  const own = labels['kubernetes.io/role'];
  return [
    ...new Set([...roles, ...(typeof own === 'string' && own !== '' ? [own] : [])]),
  ].toSorted();
}

function addressOf(node: JsonObject, wanted: string): string {
  return textAt(
    listAt(node, 'status.addresses').find(({ type }) => type === wanted),
    'address',
  );
}
