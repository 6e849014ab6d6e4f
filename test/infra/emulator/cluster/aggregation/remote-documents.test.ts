import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { until } from '#test/support/until.ts';
import { apiService, opened, serviceTo, type World } from './front-server.ts';

const index = { paths: { 'apis/things.example.com/v1': { serverRelativeURL: '/there' } } };
const swagger = { swagger: '2.0', paths: {} };
const known = { group: 'things.example.com', version: 'v1' };
const none = { kind: 'none' };

/** Its APIService as it is after the nth write. */
function written(world: World, revision: number, spec: JsonObject = {}): void {
  const stated = apiService({ caBundle: world.server.caBundle, ...spec });
  const metadata = { name: 'v1.things.example.com', uid: 'u1', resourceVersion: `${revision}` };
  const status = { conditions: [{ type: 'Available', status: 'True' }] };
  world.reading.put({ ...stated, metadata, status });
}

async function registered(spec: JsonObject = {}): Promise<World> {
  const world = await opened();
  world.reading.put(...serviceTo(world.server.port));
  written(world, 1, spec);
  return world;
}

function answers(world: World, path: string, answer: string | JsonObject): void {
  world.server.on(path, (_, response) => {
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
}

/** More than anybody reads, and no end. */
function goesOn(response: ServerResponse): void {
  response.write(Buffer.alloc(33 * 1024 * 1024, ' '));
}

/** Whoever has been asked for the last document says so. */
async function asked(world: World, revision: number): Promise<void> {
  const seen = Promise.withResolvers<void>();
  world.server.on('/openapi/v3', (_, response) => {
    response.writeHead(500).end();
    seen.resolve();
  });
  written(world, revision);
  await seen.promise;
}

describe('the documents of an aggregated API', () => {
  it('are known by themselves once it is available, each as far as it has it', async () => {
    const world = await registered();
    await until(() => world.aggregation.documents().length === 1);
    expect(world.aggregation.documents()).toEqual([{ ...known, index: none, swagger: none }]);
    answers(world, '/openapi/v3', index);
    answers(world, '/openapi/v2', swagger);
    written(world, 2);
    await until(() => world.aggregation.documents()[0]?.swagger.kind === 'document');
    expect(world.aggregation.documents()).toMatchObject([
      { index: { kind: 'document', body: index }, swagger: { kind: 'document', body: swagger } },
    ]);
  });

  it('are asked for by the aggregator, who has no rights and trusts the stated authority alone', async () => {
    const world = await opened();
    const seen = Promise.withResolvers<IncomingMessage>();
    world.server.on('/openapi/v3', (request, response: ServerResponse) => {
      seen.resolve(request);
      response.end('{}');
    });
    world.reading.put(...serviceTo(world.server.port));
    written(world, 1, { caBundle: '' });
    await until(() => world.aggregation.documents().length === 1);
    expect(world.aggregation.documents()[0]?.index).toEqual({ kind: 'unknown' });
    written(world, 2);
    const { headers } = await seen.promise;
    expect(headers['x-remote-user']).toBe('system:aggregator');
    expect(headers['x-remote-group']).toBeUndefined();
    expect(world.server.clients.at(-1)).toBe('front-proxy-client');
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['fails', (response) => response.writeHead(500).end()],
    ['hangs up', (response) => response.destroy()],
    ['says no JSON', (response) => response.end('nothing')],
    [
      'says what is too deep',
      (response) => response.end(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`),
    ],
    ['never ends', goesOn],
  ])('are as before where its server %s', async (_, answer) => {
    const world = await registered();
    answers(world, '/openapi/v3', index);
    written(world, 2);
    await until(() => world.aggregation.documents()[0]?.index.kind === 'document');
    world.server.on('/openapi/v3', (_request, response) => answer(response));
    answers(world, '/openapi/v2', swagger);
    written(world, 3);
    await until(() => world.aggregation.documents()[0]?.swagger.kind === 'document');
    expect(world.aggregation.documents()[0]?.index).toMatchObject({ body: index });
  });

  it('are gone with its APIService, and not those of another that has its name', async () => {
    const world = await registered();
    await until(() => world.aggregation.documents().length === 1);
    world.reading.remove('apiservices.apiregistration.k8s.io', { name: 'v1.things.example.com' });
    expect(world.aggregation.documents()).toEqual([]);
    world.reading.put(apiService());
    expect(world.aggregation.documents()).toEqual([]);
  });

  it('are those that were asked for last, whoever answers last', async () => {
    const world = await registered();
    const slow = Promise.withResolvers<ServerResponse>();
    world.server.on('/openapi/v3', (_, response) => slow.resolve(response));
    written(world, 2);
    const late = await slow.promise;
    answers(world, '/openapi/v3', index);
    written(world, 3);
    await until(() => world.aggregation.documents()[0]?.index.kind === 'document');
    late.end('{}');
    await asked(world, 4);
    expect(world.aggregation.documents()[0]?.index).toMatchObject({ body: index });
  });
});
