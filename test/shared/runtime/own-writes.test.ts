import { describe, expect, it } from 'vitest';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { configMaps } from '#shared/domain/kind.ts';
import type { Ports, Write } from '#shared/ports.ts';
import { openOwnWrites } from '#shared/runtime/own-writes.ts';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'team-a', name: 'one' } };
const target = { kind: configMaps, namespace: 'team-a', name: 'one' };

/** A map that the function `follow-maps` has made. */
async function written() {
  let nowMs = 0;
  const ownWrites = openOwnWrites(() => nowMs);
  const theirs = clusterInMemory();
  const { cluster } = ownWrites.noting('follow-maps', { cluster: theirs } as unknown as Ports);
  const stated = await cluster.create(configMaps, map);
  const { uid = '', resourceVersion = '' } =
    stated.kind === 'written' ? stated.object.metadata : {};
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { ...ownWrites, theirs, cluster, uid, resourceVersion, pass };
}

describe('what a function wrote itself', () => {
  it('is known by uid and version, for that function alone', async () => {
    const { isOwn, uid, resourceVersion } = await written();
    expect(isOwn('follow-maps', `${uid}/${resourceVersion}/added`)).toBe(true);
    expect(isOwn('another', `${uid}/${resourceVersion}/added`)).toBe(false);
  });

  it('is not what somebody else has made of it', async () => {
    const { isOwn, theirs, uid, resourceVersion } = await written();
    const label = { metadata: { labels: { theirs: 'yes' } } };
    const write = await theirs.patch(target, { type: 'merge', body: label });
    const next = write.kind === 'written' ? write.object.metadata.resourceVersion : undefined;
    expect(next).not.toBe(resourceVersion);
    expect(isOwn('follow-maps', `${uid}/${next}/modified`)).toBe(false);
  });

  it('is only what nobody can have written in between: another run may have made it, of newer facts', async () => {
    const { isOwn, cluster, uid, resourceVersion } = await written();
    const by = { fieldManager: 'follow-maps', force: true };
    const text = (value: string) => ({ ...map, data: { text: value } });
    const idOf = (write: Write) =>
      write.kind === 'written' ? `${uid}/${write.object.metadata.resourceVersion}/modified` : '';
    const blind = idOf(await cluster.apply(target, text('a'), by));
    const still = idOf(await cluster.apply(target, text('b'), { ...by, uid }));
    const { resourceVersion: now = '' } = (await cluster.find(target))?.metadata ?? {};
    const sure = idOf(await cluster.apply(target, text('c'), { ...by, resourceVersion: now }));
    expect(now).not.toBe(resourceVersion);
    expect([blind, still, sure].map((id) => isOwn('follow-maps', id))).toEqual([
      ...[false, false, true],
    ]);
  });

  it.each([
    ['a deletion', (at: string) => `${at}/deleted`],
    ['a member of a set that the object concerns', (at: string) => `${at}/modified/uid-2`],
    ['a period', () => 'follow-maps/period'],
  ])('is not what %s tells of', async (_, eventId) => {
    const { isOwn, uid, resourceVersion } = await written();
    expect(isOwn('follow-maps', eventId(`${uid}/${resourceVersion}`))).toBe(false);
  });

  it('is forgotten after a minute: a restored cluster counts its versions again', async () => {
    const { isOwn, uid, resourceVersion, pass } = await written();
    pass(59_000);
    expect(isOwn('follow-maps', `${uid}/${resourceVersion}/modified`)).toBe(true);
    pass(1_000);
    expect(isOwn('follow-maps', `${uid}/${resourceVersion}/modified`)).toBe(false);
  });
});
