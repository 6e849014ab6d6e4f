import type { JsonObject } from '#shared/domain/json.ts';
import { inside, objects, text } from '../access/stated.ts';
import {
  isReady,
  portIn,
  type ServicePort,
  slicesOf,
} from '../admission/reaching/service-endpoint.ts';
import type { Reading } from '../parts.ts';

export type Availability = {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
};

export const passed: Availability = {
  status: 'True',
  reason: 'Passed',
  message: 'all checks passed',
};

export function failedDiscovery(message: string): Availability {
  return { status: 'False', reason: 'FailedDiscoveryCheck', message };
}

/** What is amiss before anybody is asked; `undefined` where it is worth to ask. */
export function missingFor(service: ServicePort, reading: Reading): Availability | undefined {
  const { namespace, name, port } = service;
  const where = `service/${name} in "${namespace}"`;
  const found = reading.find('services', { namespace, name });
  if (found === undefined) return amiss('ServiceNotFound', `${where} is not present`);
  const spec = inside(found['spec']);
  if ((text(spec['type']) || 'ClusterIP') !== 'ClusterIP') return undefined;
  const portName = portIn(spec, port);
  if (portName === undefined) {
    return amiss('ServicePortError', `${where} is not listening on port ${port}`);
  }
  return missingEndpoints(service, { portName, where, reading });
}

function amiss(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}

type Looking = { readonly portName: string; readonly where: string; readonly reading: Reading };

function missingEndpoints(
  { namespace, name }: ServicePort,
  { portName, where, reading }: Looking,
): Availability | undefined {
  // A state without slices may still have the older kind.
  const old = reading.find('endpoints', { namespace, name });
  const slices = slicesOf(reading, { namespace, name });
  if (slices.length === 0 && old === undefined) {
    return amiss('EndpointsNotFound', `cannot find endpointslices for ${where}`);
  }
  const isServed =
    slices.some((slice) => objects(slice['endpoints']).some(isReady) && hasPort(slice, portName)) ||
    objects(old?.['subsets']).some((subset) => hasPort(subset, portName));
  if (isServed) return undefined;
  const message = `endpointslices for ${where} have no addresses with port name "${portName}"`;
  return amiss('MissingEndpoints', message);
}

function hasPort({ ports }: JsonObject, portName: string): boolean {
  return objects(ports).some(({ name, port }) => text(name) === portName && port !== undefined);
}
