import { expect, it, onTestFinished } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';

const labels = { matchLabels: { app: 'web' } };
const watch = { of: configMaps, labels, atServer: true } as const;
const at = { namespace: 'default', name: 'b' };

/** Nobody can tell whose it is. */
const withoutMetadata = (stream: Stream): Stream => ({
  ...stream,
  async find(scope, place, signal) {
    if (scope.metadataOnly === true) return { kind: 'unsupported', why: 'HTTP 406' };
    return stream.find(scope, place, signal);
  },
});

it('one that a list with a selector did not show, and is too large to be read, is not taken for deleted', async () => {
  const limits = { maxPageBytes: 20_000, maxLineBytes: 20_000, maxObjectBytes: 60_000 };
  const world = await forwarding({ streamOver: withoutMetadata, limits });
  onTestFinished(() => world.close());
  const { objects, past } = world.cluster;
  for (const name of ['a', 'b']) {
    const metadata = { namespace: 'default', name, labels: labels.matchLabels };
    objects.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }
  const one = await world.start([subscribed(watch)]);
  await until('it watches', () => one.kinds().includes('watching'));
  await one.stop();
  await world.messages();

  const data = { x: 'x'.repeat(100_000) };
  objects.patch(configMaps, at, { data, metadata: { labels: { app: 'other' } } });
  objects.delete(configMaps, { namespace: 'default', name: 'a' });
  past.compact();
  const next = await world.start([subscribed(watch)]);
  await until('it has listed again', () => next.kinds().includes('listed'));
  const bodies = (await world.messages()).map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ name, deleted }) => [name, deleted])).toEqual([['a', true]]);
  const alive = world.rows().filter(({ isDeleted }) => !isDeleted);
  expect(alive.map(({ name }) => name)).toEqual(['b']);
});
