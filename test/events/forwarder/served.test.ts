import { afterEach, describe, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

const widgets: Kind = {
  ...{ group: 'example.org', version: 'v1', kind: 'Widget', resource: 'widgets' },
  namespaced: true,
};
const definitions: Kind = {
  ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
  ...{ resource: 'customresourcedefinitions', namespaced: false },
};
const schema = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

const version = (name: string, isServed: boolean, storage = isServed) => ({
  ...{ name, served: isServed, storage, schema },
});

function definition(...versions: readonly JsonObject[]): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: definitions.kind,
    metadata: { name: 'widgets.example.org' },
    spec: {
      group: widgets.group,
      scope: 'Namespaced',
      names: { plural: widgets.resource, kind: widgets.kind },
      versions,
    },
  };
}

const widget = (name: string, of = 'v1') => ({
  apiVersion: `example.org/${of}`,
  kind: widgets.kind,
  metadata: { name, namespace: 'default' },
});

let world: Forwarding | undefined;
afterEach(() => world?.close());

async function begin(streamOver = (stream: Stream) => stream): Promise<Forwarding> {
  world = await forwarding({ streamOver });
  return world;
}

const alive = ({ rows }: Forwarding) =>
  rows()
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ name }) => name)
    .toSorted();

const shapes = ({ rows }: Forwarding) =>
  rows()
    .map(({ name, object }) => `${name} ${object.apiVersion?.slice('example.org/'.length)}`)
    .toSorted();

describe('a kind whose served version changes', () => {
  it('is followed in the new one, and none of its objects is taken for deleted', async () => {
    const { cluster, ...rest } = await begin();
    cluster.objects.create(definitions, definition(version('v1', true)));
    cluster.objects.create(widgets, widget('a'));
    const one = await rest.start([subscribed({ of: widgets })]);
    const holds = (...names: readonly string[]) =>
      until(`it holds ${names}`, () => alive({ ...rest, cluster }).join() === names.join());
    await holds('a');

    const at = { name: 'widgets.example.org' };
    const versions = [version('v1', false), version('v2', true)];
    cluster.objects.patch(definitions, at, { spec: { versions } });
    cluster.objects.create({ ...widgets, version: 'v2' }, widget('b', 'v2'));
    await holds('a', 'b');

    expect(one.kinds()).not.toContain('absent');
    const woken = (await rest.messages()).map(({ body }) => JSON.parse(body));
    expect(woken.map(({ name, deleted }) => `${name} ${deleted}`)).toEqual(['a false', 'b false']);
    expect(shapes({ ...rest, cluster })).toEqual(['a v2', 'b v2']);
  });

  it('is followed in its definition’s own version again where that comes back', async () => {
    const world = await begin();
    const { cluster } = world;
    const at = { name: 'widgets.example.org' };
    const serve = (...versions: readonly JsonObject[]) =>
      cluster.objects.patch(definitions, at, { spec: { versions } });
    cluster.objects.create(definitions, definition(version('v1', true)));
    cluster.objects.create(widgets, widget('a'));
    const one = await world.start([subscribed({ of: widgets })]);
    const count = (word: string) => one.kinds().filter((kind) => kind === word).length;
    // One that has given something is followed by a check, and by no list.
    const cutAfter = async (name: string) => {
      cluster.objects.create(widgets, widget(name));
      await until(`it holds ${name}`, () => alive(world).includes(name));
      const before = count('watching');
      cluster.faults.cutWatches();
      await until('it watches again', () => count('watching') > before);
    };
    const holds = (shape: string) => until(`it is ${shape}`, () => shapes(world).join() === shape);
    await holds('a v1');
    serve(version('v1', false), version('v2', true));
    await holds('a v2');
    serve(version('v1', true), version('v2', true, false));
    await until('it watches', () => one.kinds().at(-1) === 'watching');
    await cutAfter('b');
    expect(shapes(world)).toEqual(['a v1', 'b v1']);

    const before = count('listing');
    await cutAfter('c');
    await cutAfter('d');
    expect(count('listing')).toBe(before);
  });

  it('is mirrored anew in the version that a definition goes over to, once', async () => {
    const world = await begin();
    const { cluster } = world;
    cluster.objects.create(
      definitions,
      definition(version('v1', true), version('v2', true, false)),
    );
    cluster.objects.create(widgets, widget('a'));
    const older = await world.start([subscribed({ of: widgets })]);
    await until('it watches', () => older.kinds().includes('watching'));
    await older.stop();
    expect(shapes(world)).toEqual(['a v1']);

    const next = [subscribed({ of: { ...widgets, version: 'v2' } })];
    const listed: number[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const one = await world.start(next);
      await until('it watches', () => one.kinds().includes('watching'));
      await one.stop();
      listed.push(one.kinds().filter((kind) => kind === 'listing').length);
    }
    expect(shapes(world)).toEqual(['a v2']);
    expect(listed).toEqual([1, 0]);
  });
});

describe('a kind that comes later', () => {
  it('is followed in the version of its definition, whatever the server prefers', async () => {
    const world = await begin();
    const { cluster } = world;
    const one = await world.start([subscribed({ of: widgets })]);
    await until('it is absent', () => one.kinds().includes('absent'));
    cluster.objects.create(
      definitions,
      definition(version('v1', true), version('v2', true, false)),
    );
    cluster.objects.create({ ...widgets, version: 'v2' }, widget('a', 'v2'));
    await until('it is mirrored', () => alive(world).join() === 'a');
    expect(shapes(world)).toEqual(['a v1']);
  });

  it('is listed in the history that has begun meanwhile', async () => {
    let isOther = false;
    const world = await begin((stream) => ({
      ...stream,
      identity: async (signal) => (isOther ? 'another' : stream.identity(signal)),
    }));
    const one = await world.start([subscribed({ of: widgets })]);
    await until('it is absent', () => one.kinds().includes('absent'));
    isOther = true;
    world.cluster.objects.create(definitions, definition(version('v1', true)));
    world.cluster.objects.create(widgets, widget('a'));
    await until('it is mirrored', () => alive(world).join() === 'a');
    expect(world.rows().map(({ epoch }) => epoch)).toEqual([2]);
    expect(one.kinds().filter((kind) => kind === 'listing')).toHaveLength(2);
  });
});

describe('a kind that is served with another scope than its definition says', () => {
  it.each([
    ['cluster-wide', true, 'Cluster', undefined],
    ['in namespaces', false, 'Namespaced', 'default'],
  ])('is heard of on and on: %s', async (_, namespaced, scope, namespace) => {
    const { cluster, ...rest } = await begin();
    const { spec, ...defined } = definition(version('v1', true));
    cluster.objects.create(definitions, { ...defined, spec: { ...(spec as JsonObject), scope } });
    const actual = { ...widgets, namespaced: scope === 'Namespaced' };
    const place = namespace === undefined ? {} : { namespace };
    const create = (name: string) => {
      const metadata = { name, ...place, labels: { app: 'web' } };
      cluster.objects.create(actual, { ...widget(name), metadata });
    };
    const labels = { matchLabels: { app: 'web' } };
    create('a');
    await rest.start([subscribed({ of: { ...widgets, namespaced }, labels, atServer: true })]);
    await until('it is mirrored', () => alive({ ...rest, cluster }).join() === 'a');
    // What left a selection is looked at.
    cluster.objects.delete(actual, { name: 'a', ...place });
    create('b');
    await until('it is followed', () => alive({ ...rest, cluster }).join() === 'b');
  });
});

describe('a kind that goes away', () => {
  it('is asked about now and then, and no error is told of it', async () => {
    const asked: string[] = [];
    const noting = (stream: Stream): Stream => ({
      ...stream,
      list(...given) {
        asked.push('list');
        return stream.list(...given);
      },
      watch(...given) {
        asked.push('watch');
        return stream.watch(...given);
      },
      served(...given) {
        asked.push('served');
        return stream.served(...given);
      },
    });
    const { cluster, ...rest } = await begin(noting);
    cluster.objects.create(definitions, definition(version('v1', true)));
    const one = await rest.start([subscribed({ of: widgets })], { absentMs: 100 });
    await until('it watches', () => one.kinds().includes('watching'));
    cluster.objects.delete(definitions, { name: 'widgets.example.org' });
    await until('it is absent', () => one.kinds().includes('absent'));

    asked.length = 0;
    const from = performance.now();
    await until('it has asked again', () => asked.length >= 4);
    expect(performance.now() - from).toBeGreaterThan(250);
    expect(asked.slice(0, 4)).toEqual(['served', 'served', 'served', 'served']);
    const [first, ...others] = one.kinds().slice(one.kinds().indexOf('absent'));
    // Signs of life, which nobody logs: a loop that says nothing for long counts as standing still.
    expect([first, ...new Set(others)]).toEqual(['absent', 'looked']);
    expect(others.length).toBeGreaterThanOrEqual(3);
  });
});

describe('a proxy before the server that knows no such page', () => {
  it.each([
    ['once', 1],
    ['of one request after the other', 2],
    ['of any request for a while', 6],
  ])('is believed of no kind that it is gone, %s', async (_, times) => {
    const { cluster, ...rest } = await begin();
    cluster.objects.create(definitions, definition(version('v1', true)));
    cluster.objects.create(widgets, widget('a'));
    const one = await rest.start([subscribed({ of: widgets })]);
    await until('it watches', () => one.kinds().includes('watching'));

    cluster.faults.lostByProxy({ verb: 'version', times });
    cluster.faults.lostByProxy({ verb: 'discovery', times });
    cluster.faults.cutWatches();
    cluster.objects.create(widgets, widget('b'));
    await until('it follows', () => alive({ ...rest, cluster }).join() === 'a,b');
    const woken = (await rest.messages()).map(({ body }) => JSON.parse(body));
    expect(woken.map(({ name, deleted }) => `${name} ${deleted}`)).toEqual(['a false', 'b false']);
  });
});
