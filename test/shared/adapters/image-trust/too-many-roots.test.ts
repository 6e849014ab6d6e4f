import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { namespaceTrust } from '#shared/domain/image-trust/namespace-trust.ts';
import { mostRootsOfNamespace } from '#shared/domain/image-trust/verdict-store.ts';
import { stage } from '#test/support/image-trust/judging.ts';

const gun = 'registry.example/team/app';
const own = 'https://notary.team.example/n';
const prefix = 'namespaces.warden.kyma-project.io';

/** By the Notary of a namespace that has trusted so many roots on first use. */
async function judgedAfter(count: number, isStrict: boolean, settings: object = {}) {
  const store = verdictsInMemory().open();
  for (let at = 0; at < count; at += 1) {
    const place = { key: `k${at}`, verifier: 'notary', server: own, name: `r/${at}` } as const;
    const anchor = { root: '{}', seen: {} };
    await store.keepAnchor({ ...place, owner: 'team-a' }, { anchor, root: 'x' }, undefined);
  }
  const { world, settings: stated, replica } = stage(settings, () => store);
  const digest = world.push(`${gun}:1.0`, 'good');
  await world.sign(gun, { '1.0': digest }, { server: own });
  const annotations = { [`${prefix}/notary-url`]: own, [`${prefix}/strict-mode`]: `${isStrict}` };
  const namespace = { name: 'team-a', labels: { [`${prefix}/validate`]: 'user' }, annotations };
  const trust = namespaceTrust(namespace, stated.current().imageTrust);
  if (trust.kind !== 'rules') throw new Error('the namespace is broken');
  return replica().one(`${gun}:1.0`, { rules: trust.rules });
}

describe('a namespace that has trusted as many roots on first use as it may', () => {
  // Who runs its Notary would else fill the database of all, 64 KiB for each name that he makes up.
  it.each([true, false])(
    'trusts no other one, and is told what to do: strict %s',
    async (isStrict) => {
      expect(await judgedAfter(mostRootsOfNamespace, isStrict)).toMatchObject({
        kind: 'untrusted',
        why: 'too-many-roots',
        note: expect.stringMatching(
          /roots for 1000 repositories.*: have fewer repositories, or the root/,
        ),
      });
    },
  );

  it('trusts one that it had room for', async () => {
    expect(await judgedAfter(mostRootsOfNamespace - 1, true)).toMatchObject({ kind: 'trusted' });
  });
});
