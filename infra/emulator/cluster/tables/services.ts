import { isList, type JsonObject } from '#shared/domain/json.ts';
import { ageColumn, at, labelsText, listAt, nameColumn, text, textAt } from './cells.ts';
import type { Columns } from './table.ts';

export const serviceColumns: Columns = [
  nameColumn,
  text('Type', (service) => textAt(service, 'spec.type')),
  text('Cluster-IP', (service) => textAt(service, 'spec.clusterIP') || '<none>'),
  text('External-IP', externalOf),
  text('Port(s)', portsOf),
  ageColumn,
  text('Selector', (service) => labelsText(at(service, 'spec.selector')), 1),
];

function externalOf(service: JsonObject): string {
  const type = textAt(service, 'spec.type');
  const stated = at(service, 'spec.externalIPs');
  const own = stated !== undefined && isList(stated) ? stated.map(String) : [];
  if (type === 'ExternalName') return textAt(service, 'spec.externalName');
  if (type !== 'LoadBalancer') return own.length === 0 ? '<none>' : own.join(',');
  const given = listAt(service, 'status.loadBalancer.ingress').map(({ ip, hostname }) =>
    String(ip ?? hostname),
  );
  const all = [...given, ...own];
  return all.length === 0 ? '<pending>' : all.join(',');
}

function portsOf(service: JsonObject): string {
  const ports = listAt(service, 'spec.ports').map(({ port, nodePort, protocol }) =>
    typeof nodePort === 'number' && nodePort > 0
      ? `${String(port)}:${nodePort}/${String(protocol)}`
      : `${String(port)}/${String(protocol)}`,
  );
  return ports.length === 0 ? '<none>' : ports.join(',');
}
