import { expect, it } from 'vitest';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';

it('a mirror that is filled by hand knows the indexes of the keys that were put, and refuses no other', async () => {
  const mirror = mirrorInMemory();
  const metadata = { name: 'a', namespace: 'default', uid: 'a' };
  mirror.put(pods, { apiVersion: 'v1', kind: 'Pod', metadata }, ['by-image=x']);
  const versionBy = async (name: string) =>
    (await mirror.list(pods, { index: { name, key: 'y' } })).resourceVersion;
  expect(await versionBy('by-image')).toBe('1');
  expect(await versionBy('by-node')).toBe('');
});
