import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { issueFrontProxy } from '#infra/emulator/cluster/aggregation/front-proxy.ts';
import {
  type Aggregation,
  openAggregation,
} from '#infra/emulator/cluster/aggregation/open-aggregation.ts';
import type { User } from '#infra/emulator/cluster/parts.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { type ObjectsRead, objectsRead } from '../access/objects-read.ts';
import { type AggregatedServer, aggregatedServer } from './aggregated-server.ts';

export type World = {
  readonly aggregation: Aggregation;
  readonly reading: ObjectsRead;
  readonly server: AggregatedServer;
  /** Of a server that hands everything on. */
  readonly url: string;
};

const alice: User = {
  name: 'alice',
  uid: 'u1',
  groups: ['team', 'system:authenticated'],
  extra: { 'a/b': ['1', '2'] },
};

export function apiService(spec: JsonObject = {}, status: JsonObject = {}): JsonObject {
  const service = { namespace: 'default', name: 'things', port: 443 };
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.things.example.com' },
    spec: {
      ...{
        group: 'things.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
      },
      ...{ service, ...spec },
    },
    status,
  };
}

export function serviceTo(port: number): readonly JsonObject[] {
  const metadata = { namespace: 'default', name: 'things' };
  const labels = { 'kubernetes.io/service-name': 'things' };
  return [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 443 }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace: 'default', name: 'things-1', labels },
      ports: [{ name: '', port }],
      endpoints: [{ addresses: ['127.0.0.1'] }],
    },
  ];
}

export async function opened(): Promise<World> {
  const { ca, ...frontProxy } = await issueFrontProxy({
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  });
  const server = await aggregatedServer(ca);
  const reading = objectsRead();
  const aggregation = openAggregation({
    ...{ reading, frontProxy },
    now: () => new Date('2030-01-01T00:00:00Z'),
    writeStatus(name, status) {
      const object = reading.find('apiservices.apiregistration.k8s.io', { name });
      if (object !== undefined) reading.put({ ...object, status });
    },
  });
  const front = createServer((request, response) => {
    const at = { group: 'things.example.com', version: 'v1', user: alice };
    aggregation.proxy({ request, response }, at).catch((cause: Error) => response.destroy(cause));
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  onTestFinished(async () => {
    aggregation.close();
    front.closeAllConnections();
    front.close();
    await server.close();
  });
  return {
    aggregation,
    reading,
    server,
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
  };
}
