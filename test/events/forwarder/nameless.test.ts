import { expect, it, onTestFinished } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';
import { pod } from './builders.ts';

const { metadata: _, ...rest } = pod();

/** A server that lists by pages alone, and shows objects as they are changed here. */
function showing(stream: Stream, shown: (object: KubeObject) => KubeObject): Stream {
  return {
    ...stream,
    async list(scope, options) {
      const page = await stream.list(scope, options);
      return page.kind === 'page' ? { ...page, objects: page.objects.map(shown) } : page;
    },
    async watch(scope, options) {
      if (options.resourceVersion !== undefined) return stream.watch(scope, options);
      return { kind: 'unsupported', why: 'older' };
    },
  };
}

it.each(['uid', 'resourceVersion'])(
  'a page that has an object without %s is not read',
  async (left) => {
    const server = { isMended: false };
    const shown = (object: KubeObject): KubeObject => {
      const { [left]: _left, ...metadata } = object.metadata as Record<string, unknown>;
      const isShown = server.isMended || object.metadata.name === 'other';
      return isShown ? object : ({ ...object, metadata } as KubeObject);
    };
    const world = await forwarding({ streamOver: (stream) => showing(stream, shown) });
    onTestFinished(world.close);
    for (const name of ['other', 'web']) {
      world.cluster.objects.create(pods, { ...rest, metadata: { name, namespace: 'default' } });
    }
    const one = await world.start([subscribed({ of: pods })]);
    const why = 'an object without uid or resourceVersion';
    const isTold = () => one.told.some((told) => told.kind === 'waiting' && told.why === why);
    await until('it is told', isTold);
    expect(one.kinds()).not.toContain('listed');
    expect(world.rows().filter(({ name }) => name === 'web')).toEqual([]);

    server.isMended = true;
    await until('it watches', () => one.kinds().includes('watching'));
    expect(
      world
        .rows()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['other', 'web']);
  },
);

it('an audit says nothing by a list that has an object without uid', async () => {
  const server = { isMended: true };
  const shown = (object: KubeObject): KubeObject => {
    const { uid: _uid, ...metadata } = object.metadata;
    return server.isMended ? object : { ...object, metadata };
  };
  const world = await forwarding({ streamOver: (stream) => showing(stream, shown) });
  onTestFinished(world.close);
  const one = await world.start([subscribed({ of: pods })], { auditMs: 20 });
  await until('it watches', () => one.kinds().includes('watching'));
  server.isMended = false;
  world.cluster.objects.create(pods, { ...rest, metadata: { name: 'web', namespace: 'default' } });
  const lists = () => world.cluster.requests.of('list', 'pods');
  const before = lists();
  await until('it has tried five audits', () => lists() >= before + 5);
  expect(one.kinds()).not.toContain('lost');
});
