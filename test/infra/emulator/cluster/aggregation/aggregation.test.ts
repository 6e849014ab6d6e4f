import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  apiServiceFrom,
  availableIn,
  localApiService,
} from '#infra/emulator/cluster/aggregation/api-service.ts';
import { remoteVersions } from '#infra/emulator/cluster/aggregation/discovering.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { until } from '#test/support/until.ts';
import { apiService, opened, serviceTo, type World } from './front-server.ts';

const name = 'v1.things.example.com';

function condition({ reading }: World): JsonObject | undefined {
  const found = reading.find('apiservices.apiregistration.k8s.io', { name });
  return found === undefined ? undefined : availableIn(found);
}

async function registered(): Promise<World> {
  const world = await opened();
  const { server, reading, aggregation } = world;
  reading.put(apiService({ caBundle: server.caBundle }), ...serviceTo(server.port));
  await aggregation.check();
  // Its documents are asked for then; a server that ends meanwhile would wait for who asks.
  await until(() => aggregation.documents().length === 1);
  return world;
}

describe('an aggregated API', () => {
  it.each<[string, (world: World) => readonly JsonObject[], object]>([
    [
      'without a service',
      () => [],
      { reason: 'ServiceNotFound', message: 'service/things in "default" is not present' },
    ],
    [
      'whose service has another port',
      () => [{ ...serviceTo(1)[0], spec: { ports: [{ port: 80 }] } }],
      {
        reason: 'ServicePortError',
        message: 'service/things in "default" is not listening on port 443',
      },
    ],
    [
      'whose service has no endpoints',
      () => serviceTo(1).slice(0, 1),
      {
        reason: 'EndpointsNotFound',
        message: 'cannot find endpointslices for service/things in "default"',
      },
    ],
    [
      'whose endpoints have another port',
      () => serviceTo(1).map((each) => ({ ...each, ports: [{ name: 'x', port: 1 }] })),
      {
        reason: 'MissingEndpoints',
        message:
          'endpointslices for service/things in "default" have no addresses with port name ""',
      },
    ],
    [
      'that does not answer',
      () => serviceTo(1),
      {
        reason: 'FailedDiscoveryCheck',
        message: expect.stringMatching(
          /^failing or missing response from https:\/\/127.0.0.1:1\/apis\/things.example.com\/v1: Get "https:\/\/127.0.0.1:1\/apis\/things.example.com\/v1": dial tcp 127.0.0.1:1: connect: connection refused$/,
        ),
      },
    ],
  ])('%s is not available, and says why', async (_, objects, expected) => {
    const world = await opened();
    world.reading.put(apiService(), ...objects(world));
    await world.aggregation.check();
    expect(condition(world)).toMatchObject({ type: 'Available', status: 'False', ...expected });
    const answer = await fetch(`${world.url}/apis/things.example.com/v1/things`);
    expect([answer.status, await answer.text()]).toEqual([503, 'service unavailable\n']);
  });

  it('is available when its discovery answers, and no longer when its service is gone', async () => {
    const world = await registered();
    const passed = { status: 'True', reason: 'Passed', message: 'all checks passed' };
    expect(condition(world)).toEqual({
      type: 'Available',
      lastTransitionTime: '2030-01-01T00:00:00Z',
      ...passed,
    });
    // The server that asks has every right there.
    expect(new Set(world.server.checkers)).toEqual(
      new Set(['system:kube-aggregator of system:masters']),
    );
    expect(world.aggregation.serves('things.example.com', 'v1')).toBe(true);
    expect(world.aggregation.serves('things.example.com', 'v2')).toBe(false);
    world.reading.remove('services', { namespace: 'default', name: 'things' });
    await until(() => condition(world)?.['reason'] === 'ServiceNotFound');
  });

  it('is asked in the name of the user, by a client that it can believe', async () => {
    const { url, server } = await registered();
    const seen: IncomingHttpHeaders[] = [];
    const paths: (string | undefined)[] = [];
    server.on('/apis/things.example.com/v1/things', (request, response) => {
      seen.push(request.headersDistinct as IncomingHttpHeaders);
      paths.push(request.url);
      response.writeHead(201, { 'x-own': 'yes' });
      request.pipe(response);
    });
    const answer = await fetch(`${url}/apis/things.example.com/v1/things?b=2&a=x%2Fy`, {
      method: 'POST',
      body: 'text',
      headers: {
        authorization: 'Bearer secret',
        'x-remote-user': 'root',
        'impersonate-user': 'root',
        'x-foo': 'bar',
      },
    });
    expect([answer.status, answer.headers.get('x-own'), await answer.text()]).toEqual([
      201,
      'yes',
      'text',
    ]);
    expect(server.clients.at(-1)).toBe('front-proxy-client');
    expect(paths).toEqual(['/apis/things.example.com/v1/things?a=x%2Fy&b=2']);
    expect(seen[0]).toMatchObject({
      'x-remote-user': ['alice'],
      'x-remote-uid': ['u1'],
      'x-remote-group': ['team', 'system:authenticated'],
      'x-remote-extra-a%2fb': ['1', '2'],
      'x-foo': ['bar'],
      'x-forwarded-uri': ['/apis/things.example.com/v1/things'],
    });
    expect(Object.keys(seen[0] ?? {})).not.toEqual(expect.arrayContaining(['authorization']));
    expect(Object.keys(seen[0] ?? {})).not.toEqual(expect.arrayContaining(['impersonate-user']));
  });

  it('streams a watch, line by line, until the client has enough', async () => {
    const { url, server } = await registered();
    const line = '{"type":"ADDED"}\n';
    const watching = Promise.withResolvers<ServerResponse>();
    server.on('/apis/things.example.com/v1/things', (_, response) => {
      response.flushHeaders();
      watching.resolve(response);
    });
    const enough = new AbortController();
    // The answer is there before anything happens.
    const answer = await fetch(`${url}/apis/things.example.com/v1/things?watch=true`, {
      signal: enough.signal,
    });
    const watch = await watching.promise;
    watch.write(line);
    const first = await answer.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe(line);
    const ended = once(watch, 'close');
    enough.abort();
    await ended;
  });

  it('is waited for on a connection that was used before', async () => {
    const { url, server } = await registered();
    const path = '/apis/things.example.com/v1/things';
    const idle = { connection: 'keep-alive', 'keep-alive': 'timeout=2' };
    server.on(path, (_, response) => response.writeHead(200, idle).end('quick'));
    expect(await (await fetch(`${url}${path}`)).text()).toBe('quick');
    server.on(path, (_, response) => void setTimeout(() => response.end('slow'), 1_300));
    expect(await (await fetch(`${url}${path}`)).text()).toBe('slow');
  });

  it('that has just died is told as Go tells it', async () => {
    const { url, server } = await registered();
    await server.close();
    const answer = await fetch(`${url}/apis/things.example.com/v1/things`);
    expect([answer.status, await answer.text()]).toEqual([
      503,
      `error trying to reach service: dial tcp 127.0.0.1:${server.port}: connect: connection refused\n`,
    ]);
  });

  it('is in discovery, with what it says of its resources', async () => {
    const { aggregation, reading, server } = await registered();
    expect(aggregation.versions()).toEqual([
      {
        group: 'things.example.com',
        version: 'v1',
        groupPriority: 100,
        versionPriority: 10,
        isAvailable: true,
      },
    ]);
    const kind = { group: '', version: '', kind: 'Thing' };
    const things = {
      ...{ resource: 'things', responseKind: kind, scope: 'Namespaced', singularResource: 'thing' },
      ...{ verbs: ['get'], shortNames: ['th'] },
      subresources: [{ subresource: 'status', responseKind: kind, verbs: ['get'] }],
    };
    const found = { version: 'v1', resources: [things], freshness: 'Current' };
    expect(await aggregation.discovery()).toEqual([
      { group: 'things.example.com', version: found },
    ]);
    reading.put(apiService({ caBundle: server.caBundle }));
    expect(await aggregation.discovery()).toEqual([
      { group: 'things.example.com', version: { version: 'v1', freshness: 'Stale' } },
    ]);
  });
});

it('lists the versions of others by what they ask for', () => {
  const versions = (...stated: readonly (readonly [string, string, number, number])[]) =>
    stated.map(([group, version, groupPriorityMinimum, versionPriority]) =>
      apiServiceFrom(apiService({ group, version, groupPriorityMinimum, versionPriority })),
    );
  const all = versions(
    ['a', 'v1', 10, 1],
    ['b', 'v1', 20, 1],
    ['b', 'v2', 20, 5],
    ['c', 'v1', 10, 1],
  );
  expect(remoteVersions(all).map(({ group, version }) => `${group}/${version}`)).toEqual([
    ...['b/v2', 'b/v1', 'a/v1', 'c/v1'],
  ]);
});

describe('an API of this server itself', () => {
  it.each([
    ['apps', 'v1', false, 'v1.apps', 'onstart', 17_800, 15],
    ['', 'v1', false, 'v1.', 'onstart', 18_000, 1],
    ['x.example.com', 'v1beta1', true, 'v1beta1.x.example.com', 'true', 1000, 100],
  ])('of %s/%s is local and always available', (group, version, isCustom, ...expected) => {
    const [id, managed, groupPriorityMinimum, versionPriority] = expected;
    const now = new Date('2030-01-01T00:00:00Z');
    expect(localApiService({ group, version, isCustom, now })).toMatchObject({
      metadata: { name: id, labels: { 'kube-aggregator.kubernetes.io/automanaged': managed } },
      spec: { version, groupPriorityMinimum, versionPriority },
      status: {
        conditions: [
          { status: 'True', reason: 'Local', message: 'Local APIServices are always available' },
        ],
      },
    });
  });
});
