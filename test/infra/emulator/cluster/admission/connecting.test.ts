import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { makeCa } from '#test/support/tls.ts';
import { admitting, configMap, configuration, mapKind } from './admitting.ts';
import { type Opened, opened } from './opened.ts';

const map = admitting(mapKind, configMap());
const place = { namespace: 'gatehouse-system', name: 'gatehouse-webhook' };

function service(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: place, spec };
}

function slice(port: number, ready = true, portName = ''): JsonObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace: place.namespace,
      name: 'gatehouse-webhook-1',
      labels: { 'kubernetes.io/service-name': place.name },
    },
    ports: [{ name: portName, port }],
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready } }],
  };
}

/** The answer's message, or nothing where all went well. */
async function messageOf({ admission }: Opened): Promise<string | undefined> {
  const done = await admission.validate(map);
  if (!('body' in done)) return undefined;
  const { message } = done.body as { message: string };
  return message.replace(/^.*failed to call webhook: /, '');
}

describe('a webhook is reached', () => {
  it('as the real server does it: one connection, these headers, this body', async () => {
    const { admission, server, reading, at } = await opened();
    server.on('/a', () => ({}));
    reading.put(configuration('Validating', 'x', { clientConfig: at('/a'), timeoutSeconds: 7 }));
    for (let turn = 0; turn < 3; turn += 1)
      await admission.validate({ ...map, options: { fieldManager: 'me', force: true } });
    const [first] = server.received;
    expect(new Set(server.received.map(({ connection }) => connection)).size).toBe(1);
    expect(first?.method).toBe('POST /a?timeout=7s');
    expect(first?.headers).toEqual([
      ...['Host', `localhost:${server.port}`, 'User-Agent', 'kube-apiserver-admission'],
      ...['Content-Length', expect.stringMatching(/^\d+$/), 'Accept', 'application/json, */*'],
      ...['Content-Type', 'application/json', 'Accept-Encoding', 'gzip'],
    ]);
    expect(first?.review).toMatchObject({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
    });
    expect(Object.keys(first?.request ?? {})).toEqual([
      ...['uid', 'kind', 'resource', 'requestKind', 'requestResource', 'name', 'namespace'],
      ...['operation', 'userInfo', 'object', 'oldObject', 'dryRun', 'options'],
    ]);
    expect(first?.request).toMatchObject({
      userInfo: {
        username: 'alice',
        uid: 'u1',
        groups: ['team', 'system:authenticated'],
        extra: { a: ['b'] },
      },
      oldObject: null,
    });
    // An apply is a create, and that knows no force.
    expect(first?.request['options']).toEqual({
      ...{ kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
    });
  });

  it('in version v1beta1 where it knows no other', async () => {
    const { admission, server, reading, at } = await opened();
    server.on('/a', () => ({}));
    const admissionReviewVersions = ['v2', 'v1beta1'];
    reading.put(
      configuration('Validating', 'x', { clientConfig: at('/a'), admissionReviewVersions }),
    );
    await admission.validate(map);
    expect(server.received[0]?.review).toMatchObject({ apiVersion: 'admission.k8s.io/v1beta1' });
  });

  it('again where an idle connection has ended meanwhile', async () => {
    const world = await opened();
    const { server, reading, at } = world;
    server.on('/a', () => ({}));
    reading.put(configuration('Validating', 'x', { clientConfig: at('/a') }));
    expect(await messageOf(world)).toBeUndefined();
    server.dropConnections();
    expect(await messageOf(world)).toBeUndefined();
  });

  it('by its service: through a slice, through endpoints, by another name', async () => {
    const world = await opened();
    const { server, reading } = world;
    server.on('/a', () => ({}));
    const clientConfig = { service: { ...place, path: '/a' }, caBundle: server.caBundle };
    reading.put(
      configuration('Validating', 'x', { clientConfig }),
      service({ ports: [{ port: 443 }] }),
      slice(server.port),
    );
    expect(await messageOf(world)).toBeUndefined();
    expect(server.received[0]).toMatchObject({
      serverName: 'gatehouse-webhook.gatehouse-system.svc',
      headers: expect.arrayContaining(['gatehouse-webhook.gatehouse-system.svc:443']),
    });

    reading.remove('endpointslices.discovery.k8s.io', { ...place, name: 'gatehouse-webhook-1' });
    reading.put({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: place,
      subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: server.port }] }],
    });
    server.dropConnections();
    expect(await messageOf(world)).toBeUndefined();

    const named = {
      service: { ...place, path: '/a', port: server.port },
      caBundle: server.caBundle,
    };
    reading.put(
      configuration('Validating', 'x', { clientConfig: named }),
      service({ type: 'ExternalName', externalName: 'localhost' }),
    );
    expect(await messageOf(world)).toBeUndefined();
    expect(server.received).toHaveLength(3);
  });
});

describe('a webhook that is not reached', () => {
  const url = 'https://gatehouse-webhook.gatehouse-system.svc:443/a?timeout=10s';

  it.each<[string, (world: Opened) => readonly JsonObject[], string]>([
    ['where there is no service', () => [], `Post "${url}": service "gatehouse-webhook" not found`],
    [
      'where the service has no such port',
      () => [service({ ports: [{ port: 80 }] })],
      `Post "${url}": no service port 443 found for service "gatehouse-webhook"`,
    ],
    [
      'where nobody is ready',
      ({ server }) => [service({ ports: [{ port: 443 }] }), slice(server.port, false)],
      `Post "${url}": no endpoints available for service "gatehouse-webhook"`,
    ],
    [
      'where the port is another one',
      ({ server }) => [
        service({ ports: [{ port: 443, name: 'web' }] }),
        slice(server.port, true, 'other'),
      ],
      `Post "${url}": no endpoints available for service "gatehouse-webhook"`,
    ],
  ])('%s is told as the real server tells it', async (_, objects, why) => {
    const world = await opened();
    const { server, reading } = world;
    const clientConfig = { service: { ...place, path: '/a' }, caBundle: server.caBundle };
    reading.put(configuration('Validating', 'x', { clientConfig }), ...objects(world));
    expect(await messageOf(world)).toBe(why);
  });

  it('for its authority, its name or its time is told as Go tells it', async () => {
    const world = await opened();
    const { server, reading, at } = world;
    const { port } = server;
    const trying = (clientConfig: JsonObject) => {
      reading.put(configuration('Validating', 'x', { clientConfig, timeoutSeconds: 1 }));
      return messageOf(world);
    };
    const stranger = Buffer.from((await makeCa()).certificate).toString('base64');
    expect(await trying({ ...at('/a'), caBundle: stranger })).toBe(
      `Post "https://localhost:${port}/a?timeout=1s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
    expect(await trying({ url: `https://localhost:${port}/a` })).toContain(
      'signed by unknown authority',
    );
    reading.put(service({ type: 'ExternalName', externalName: 'localhost' }));
    const other = {
      service: { namespace: 'away', name: 'x', path: '/a', port },
      caBundle: server.caBundle,
    };
    reading.put({
      ...service({ type: 'ExternalName', externalName: 'localhost' }),
      metadata: { namespace: 'away', name: 'x' },
    });
    expect(await trying(other)).toContain(
      'x509: certificate is valid for gatehouse-webhook.gatehouse-system.svc, localhost, not x.away.svc',
    );
    const plain = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port: plainPort } = plain.address() as AddressInfo;
    expect(await trying({ ...at('/a'), url: `https://127.0.0.1:${plainPort}/a` })).toContain(
      'http: server gave HTTP response to HTTPS client',
    );
    plain.close();
    expect(await trying(at('/silent'))).toBe(
      `Post "https://localhost:${port}/silent?timeout=1s": context deadline exceeded`,
    );
  });

  it('as it hangs up is told as an early end', async () => {
    const world = await opened();
    const { server, reading, at } = world;
    server.on('/a', (_, raw) => {
      raw.destroy();
      return undefined;
    });
    reading.put(configuration('Validating', 'x', { clientConfig: at('/a') }));
    expect(await messageOf(world)).toMatch(/: EOF$/);
  });

  it('at its place follows a redirect there, as a GET where the code says so', async () => {
    const world = await opened();
    const { server, reading, at } = world;
    for (const [path, code] of [
      ['/moved', 302],
      ['/kept', 307],
    ] as const) {
      server.on(path, (_, raw) => {
        raw.writeHead(code, { location: '/a' });
        raw.end();
        return undefined;
      });
    }
    server.on('/a', () => ({}));
    reading.put(configuration('Validating', 'x', { clientConfig: at('/kept') }));
    expect(await messageOf(world)).toBeUndefined();
    reading.put(configuration('Validating', 'x', { clientConfig: at('/moved') }));
    expect(await messageOf(world)).toContain('got ""');
    expect(server.received.map(({ method }) => method)).toEqual([
      'POST /kept?timeout=10s',
      'POST /a',
      'POST /moved?timeout=10s',
      'GET /a',
    ]);
  });
});
