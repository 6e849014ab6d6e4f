import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { inside, labelsOf, objects, text, texts } from '../../access/stated.ts';
import type { Reading } from '../../parts.ts';

export type Endpoint =
  | { readonly kind: 'at'; readonly host: string; readonly port: number }
  | { readonly kind: 'nowhere'; readonly why: string };

export type ServicePort = {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
};

/** Where a service's port is answered now. There is no kube-proxy here, so that its endpoints are reached themselves. */
export function endpointOf(reading: Reading, { namespace, name, port }: ServicePort): Endpoint {
  const service = reading.find('services', { namespace, name });
  if (service === undefined) return nowhere(`service "${name}" not found`);
  const spec = inside(service['spec']);
  if (spec['type'] === 'ExternalName')
    return { kind: 'at', host: text(spec['externalName']), port };
  const stated = portIn(spec, port);
  if (stated === undefined) return nowhere(`no service port ${port} found for service "${name}"`);
  const found =
    fromSlices(slicesOf(reading, { namespace, name }), stated) ??
    fromEndpoints(reading.find('endpoints', { namespace, name }), stated);
  return found ?? nowhere(`no endpoints available for service "${name}"`);
}

function nowhere(why: string): Endpoint {
  return { kind: 'nowhere', why };
}

/** The name of the port, which its endpoints repeat. */
export function portIn(spec: JsonObject, port: number): string | undefined {
  const found = objects(spec['ports']).find((each) => each['port'] === port);
  return found === undefined ? undefined : text(found['name']);
}

export function slicesOf(
  reading: Reading,
  { namespace, name }: Pick<ServicePort, 'namespace' | 'name'>,
): readonly JsonObject[] {
  return reading
    .list('endpointslices.discovery.k8s.io', namespace)
    .filter((slice) => labelsOf(slice)['kubernetes.io/service-name'] === name);
}

function fromSlices(slices: readonly JsonObject[], portName: string): Endpoint | undefined {
  for (const slice of slices) {
    const port = objects(slice['ports']).find((each) => text(each['name']) === portName)?.['port'];
    const [host] = objects(slice['endpoints'])
      .filter(isReady)
      .flatMap(({ addresses }) => texts(addresses));
    if (typeof port === 'number' && host !== undefined) return { kind: 'at', host, port };
  }
  return undefined;
}

/** Unknown is as good as ready. */
export function isReady({ conditions }: JsonObject): boolean {
  return !isJsonObject(conditions) || conditions['ready'] !== false;
}

function fromEndpoints(endpoints: JsonObject | undefined, portName: string): Endpoint | undefined {
  for (const subset of objects(endpoints?.['subsets'])) {
    const port = objects(subset['ports']).find((each) => text(each['name']) === portName)?.['port'];
    const [first] = objects(subset['addresses']);
    if (typeof port === 'number' && first !== undefined) {
      return { kind: 'at', host: text(first['ip']), port };
    }
  }
  return undefined;
}
