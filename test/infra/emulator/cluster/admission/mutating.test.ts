import { describe, expect, it } from 'vitest';
import type { Admitting } from '#infra/emulator/cluster/parts.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { admitting, configMap, configuration, mapKind, podKind } from './admitting.ts';
import { type Answer, type HookServer, jsonPatch } from './hook-server.ts';
import { type Opened, opened } from './opened.ts';

const map = admitting(mapKind, configMap({}, { data: {} }));

/** Adds its own name to what is there, and says what it saw. */
function signs(server: HookServer, name: string): void {
  server.on(`/${name}`, ({ request }) => {
    const { data } = request['object'] as { data: JsonObject };
    const path = `/data/${name}${Object.keys(data).length}`;
    return jsonPatch({ op: 'add', path, value: 'x' });
  });
}

async function dataAfter({ admission }: Opened, what: Admitting = map): Promise<unknown> {
  const done = await admission.mutate(what);
  if (isRefusal(done)) throw new Error(JSON.stringify(done.body));
  return Object.keys((done.object?.['data'] ?? {}) as object);
}

describe('mutating webhooks', () => {
  it('are asked in the order of their names, each with what the one before has made', async () => {
    const world = await opened();
    const { server, reading, at } = world;
    for (const name of ['b', 'a', 'c']) signs(server, name);
    reading.put(
      configuration('Mutating', 'two', { clientConfig: at('/c') }),
      configuration('Mutating', 'one', { clientConfig: at('/b') }, { clientConfig: at('/a') }),
    );
    expect(await dataAfter(world)).toEqual(['b0', 'a1', 'c2']);
    expect(server.received.map(({ path }) => path)).toEqual(['/b', '/a', '/c']);
  });

  it('are asked again where they want to, when another has changed something after them', async () => {
    const world = await opened();
    const { server, reading, at } = world;
    for (const name of ['first', 'once', 'last']) signs(server, name);
    const again = { reinvocationPolicy: 'IfNeeded' };
    reading.put(
      configuration(
        'Mutating',
        'x',
        { clientConfig: at('/first'), ...again },
        { clientConfig: at('/once') },
        { clientConfig: at('/last'), ...again },
      ),
    );
    expect(await dataAfter(world)).toEqual(['first0', 'once1', 'last2', 'first3', 'last4']);
    expect(server.received.map(({ path }) => path)).toEqual([
      '/first',
      '/once',
      '/last',
      '/first',
      '/last',
    ]);
  });

  it('are asked once where only they themselves have changed something', async () => {
    const world = await opened();
    const { server, reading, at } = world;
    for (const name of ['first', 'last']) signs(server, name);
    const again = { reinvocationPolicy: 'IfNeeded' };
    reading.put(
      configuration(
        'Mutating',
        'x',
        { clientConfig: at('/first') },
        { clientConfig: at('/last'), ...again },
      ),
    );
    expect(await dataAfter(world)).toEqual(['first0', 'last1']);
  });

  it('are asked once where nobody changes anything', async () => {
    const world = await opened();
    const { server, reading, at } = world;
    const same: Answer = () => jsonPatch({ op: 'add', path: '/data', value: {} });
    server.on('/same', same);
    server.on('/nothing', () => ({}));
    const again = { reinvocationPolicy: 'IfNeeded' };
    reading.put(
      configuration(
        'Mutating',
        'x',
        { clientConfig: at('/nothing'), ...again },
        { clientConfig: at('/same') },
      ),
    );
    expect(await dataAfter(world)).toEqual([]);
    expect(server.received).toHaveLength(2);
  });

  it('have their objects defaulted and decoded after each change', async () => {
    const world = await opened({
      decoded: ({ unknown: _, ...object }) => ({ ...object, decoded: 'yes' }),
    });
    const { server, reading, at, admission } = world;
    server.on('/a', () =>
      jsonPatch(
        { op: 'add', path: '/unknown', value: 1 },
        { op: 'add', path: '/data/a', value: 'x' },
      ),
    );
    server.on('/b', () => ({}));
    reading.put(
      configuration('Mutating', 'x', { clientConfig: at('/a') }, { clientConfig: at('/b') }),
    );
    const done = await admission.mutate({
      ...map,
      defaulted: (object) => ({ ...object, defaulted: 'yes' }),
    });
    const expected = { data: { a: 'x' }, decoded: 'yes', defaulted: 'yes' };
    expect(done).toMatchObject({ object: expected });
    expect(done).not.toHaveProperty('object.unknown');
    expect(server.received[1]?.request['object']).toMatchObject(expected);
  });

  it('are refused what a decoder refuses of their patch', async () => {
    const why =
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string';
    const message = `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${why}`;
    const refused = { code: 400, body: { message } };
    const { admission, server, reading, at } = await opened({ decoded: () => refused });
    server.on('/a', () => jsonPatch({ op: 'add', path: '/data', value: 'text' }));
    reading.put(configuration('Mutating', 'x', { clientConfig: at('/a') }));
    expect(await admission.mutate(map)).toMatchObject({
      code: 500,
      body: { message: `Internal error occurred: ${why}` },
    });
  });

  it('have the object of a subresource decoded as what it is', async () => {
    const seen: string[] = [];
    const { admission, server, reading, at } = await opened({
      decoded(object, { kind, version }) {
        seen.push(`${kind.group}/${version} ${kind.kind}`);
        return object;
      },
    });
    server.on('/a', () => jsonPatch({ op: 'add', path: '/data', value: {} }));
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['*/*'] }];
    reading.put(configuration('Mutating', 'x', { clientConfig: at('/a'), rules }));
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    await admission.mutate(admitting(podKind, eviction, { subresource: 'eviction' }));
    expect(seen).toEqual(['policy/v1 Eviction']);
  });

  it('change nothing where nothing is to be written', async () => {
    const { admission, server, reading, at } = await opened();
    server.on('/a', () => jsonPatch({ op: 'add', path: '/data', value: {} }));
    reading.put(configuration('Mutating', 'x', { clientConfig: at('/a') }));
    const what = admitting(mapKind, undefined, {
      operation: 'DELETE',
      name: 'x',
      before: configMap(),
    });
    expect(await admission.mutate(what)).toMatchObject({
      code: 500,
      body: {
        message:
          'Internal error occurred: admission webhook "x.example.com" attempted to modify the object, which is not supported for this operation',
      },
    });
  });

  it('see another version where their rules name it, and what they change comes back', async () => {
    const { admission, server, reading, at } = await opened({
      converted: (object, { version }) => ({
        ...object,
        apiVersion: `example.com/${version}`,
        as: version,
      }),
    });
    server.on('/a', () => jsonPatch({ op: 'add', path: '/seen', value: true }));
    const rules = [
      {
        apiGroups: ['example.com'],
        apiVersions: ['v1'],
        operations: ['*'],
        resources: ['widgets'],
      },
    ];
    reading.put(configuration('Mutating', 'x', { clientConfig: at('/a'), rules }));
    const kind = {
      ...{
        group: 'example.com',
        resource: 'widgets',
        kind: 'Widget',
        namespaced: true,
        isCustom: true,
      },
      versions: ['v2', 'v1'],
    } as const;
    const widget = { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'w' } };
    const done = await admission.mutate(admitting(kind, widget));
    expect(server.received[0]?.request).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'example.com/v1' },
    });
    expect(done).toMatchObject({ object: { apiVersion: 'example.com/v2', as: 'v2', seen: true } });
  });

  it('leave the last word to the check of grants', async () => {
    const refused = { code: 403, body: 'too much' };
    const { admission } = await opened({ refusedGrant: () => refused });
    expect(await admission.mutate(map)).toEqual(refused);
  });
});
