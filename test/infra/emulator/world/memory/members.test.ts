import { expect, it } from 'vitest';
import { mirrorShelf, watchKey } from '#infra/emulator/testing/mirror/shelf.ts';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { membersOfShelf } from '#infra/emulator/world/memory/members.ts';
import { pods } from '#shared/domain/kind.ts';
import { nowhere } from '#shared/domain/mirrored.ts';

it('members of a set are known of one namespace while another one is never listed', async () => {
  const shelf = mirrorShelf();
  shelf.clusters.set('main', { uid: 'u', epoch: nowhere.epoch });
  const metadata = { name: 'a', namespace: 'one', uid: 'a' };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata };
  mirrorInMemory({ shelf }).put(pods, pod, [], { kind: pods, namespace: 'one' });
  const [watch] = shelf.watches.values();
  if (watch === undefined) throw new Error('nobody follows it');
  const other = { ...watch, scope: 'pods/two', cursor: nowhere };
  shelf.watches.set(watchKey(other), other);

  const set = { kind: 'set', cluster: 'main', group: '', resource: 'pods', after: '' } as const;
  const members = membersOfShelf(shelf, () => 7);
  const membersOf = (namespace: string) => members({ ...set, namespace }, 10);
  const one = { namespace: 'one', name: 'a', uid: 'a' };
  expect(await membersOf('one')).toEqual({ members: [one], now: 7, caughtUpAt: 7 });
  expect(await membersOf('two')).toBe('unknown');
  expect(await membersOf('')).toBe('unfollowed');
});
