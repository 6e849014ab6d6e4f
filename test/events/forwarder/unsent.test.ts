import { expect, it } from 'vitest';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { type Kind, pods } from '#shared/domain/kind.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { subscribed, until } from '#test/support/forwarding.ts';
import { deployments } from './builders.ts';
import { everyPlace, type Place } from './odd-places.ts';

const everywhere = everyPlace();

const replicaSets: Kind = { ...deployments, kind: 'ReplicaSet', resource: 'replicasets' };
const toOwner: Watch = { of: pods, wakes: { owner: replicaSets } };
const toItself: Watch = { of: pods };

type Named = { readonly name: string; readonly ownerReferences?: Json };

function create({ objects }: FakeCluster, metadata: Named): void {
  const owned = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'owner', uid: 'o1' }];
  objects.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', ownerReferences: owned, ...metadata },
    spec: {},
  });
}

const owner = (changed: JsonObject): Named => ({
  name: 'odd',
  ownerReferences: [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'owner', uid: 'o2', ...changed },
  ],
});

const unsendable: readonly (readonly [string, Watch, Named, string])[] = [
  ['an owner with a name of 2,000', toOwner, owner({ name: 'o'.repeat(2_000) }), 'too long'],
  ['an owner with a NUL in its name', toOwner, owner({ name: 'o\0o' }), 'NUL'],
  ['an owner with half a character in its name', toOwner, owner({ name: 'o\ud800' }), 'half'],
  ['an owner with a uid of 1,200', toOwner, owner({ uid: 'u'.repeat(1_200) }), 'too long'],
  ['an owner with a NUL in its uid', toOwner, owner({ uid: 'u\0u' }), 'NUL'],
  ['a name of 990 characters', toItself, { name: 'a'.repeat(990) }, 'too long'],
];

type Started = Awaited<ReturnType<Place['start']>>;

const nameOf = (watch: Watch) => (watch === toOwner ? 'owner' : 'web');
const unsentBy = ({ told }: Started) => told.filter(({ kind }) => kind === 'unsent');
const toldOf = (why: string) => ({
  ...{ kind: 'unsent', scope: 'pods', function: 'look', why: expect.stringContaining(why) },
  object: expect.stringMatching(/^default\/(odd$|aaa.*…$)/),
});

it.each(everywhere(unsendable))(
  '%s, of a batch only the wake-up for %s is dropped',
  async (_, __, watch, metadata, why, open) => {
    const place = await open();
    const one = await place.start([subscribed(watch)]);
    await until('it watches', () => one.kinds().includes('watching'));
    create(place.cluster, metadata);
    create(place.cluster, { name: 'web' });
    await until('the next one is mirrored', async () => (await place.names()).includes('web'));

    expect(await place.names()).toHaveLength(2);
    expect((await place.woken()).map(({ name }) => name)).toEqual([nameOf(watch)]);
    expect(one.kinds()).not.toContain('failed');
    expect(unsentBy(one)).toEqual([toldOf(why)]);
  },
);

it.each(everywhere(unsendable))(
  '%s, what exists wakes others although %s cannot be sent',
  async (_, __, watch, metadata, why, open) => {
    const place = await open();
    create(place.cluster, metadata);
    create(place.cluster, { name: 'web' });
    // Its first list says nothing to whoever waits for changes alone.
    const one = await place.start([subscribed({ ...watch, on: ['modified'] })]);
    await until('it watches', () => one.kinds().includes('watching'));
    expect((await place.woken()).map(({ name }) => name)).toEqual([nameOf(watch)]);
    expect(one.kinds()).not.toContain('failed');
    expect(unsentBy(one)).toEqual([toldOf(why)]);
  },
);
