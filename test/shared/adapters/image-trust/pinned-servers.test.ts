import { describe, expect, it } from 'vitest';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import { namespaceTrust } from '#shared/domain/image-trust/namespace-trust.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { rootSigner, stranger } from '#test/support/tuf/scene.ts';

const gun = 'registry.example/team/app';
const own = 'https://notary.team.example/n';
const mode = 'namespaces.warden.kyma-project.io/validate';
const urlKey = 'namespaces.warden.kyma-project.io/notary-url';
const root = await rootSigner(gun);

type Pinned = { readonly server?: string; readonly keyIds: readonly string[] };

/** What becomes of an image that the team's Notary signs, in a namespace that names it so. */
async function judged(firstUse: 'allow' | 'refuse', pins: readonly Pinned[], url = own) {
  const config = { imageTrust: { notary: { firstUse, pins } } };
  const { world, settings, replica } = stage(config as unknown as Partly<Settings>);
  const digest = world.push(`${gun}:1.0`, 'good');
  await world.sign(gun, { '1.0': digest }, { owner: root, server: own });
  await world.sign(gun, { '1.0': digest }, { owner: root, server: notary });
  const labels = { [mode]: 'user' };
  const namespace = { name: 'team-a', labels, annotations: { [urlKey]: url } };
  const trust = namespaceTrust(namespace, settings.current().imageTrust);
  if (trust.kind !== 'rules') throw new Error('the namespace is broken');
  return replica().one(`${gun}:1.0`, { rules: trust.rules });
}

const ofOwn = { server: own, keyIds: [root.id] };

describe('with first use switched off, a user’s Notary', () => {
  it.each<[string, readonly Pinned[], string, object]>([
    ['whose roots are pinned by its server is believed', [ofOwn], own, { kind: 'trusted' }],
    ['is believed however its URL ends', [ofOwn], `${own}/`, { kind: 'trusted' }],
    [
      'that nobody has pinned is not',
      [],
      own,
      { note: expect.stringContaining('nobody has said') },
    ],
    ['is not believed by the platform’s pins', [{ keyIds: [root.id] }], own, { why: 'bad-proof' }],
    ['is not believed by pins of another', [ofOwn], notary, { why: 'bad-proof' }],
    [
      'with another root than the pinned one is not',
      [{ server: own, keyIds: [stranger.id] }],
      own,
      { note: expect.stringContaining('not the one that is pinned') },
    ],
  ])('%s', async (_, pins, url, expected) => {
    expect(await judged('refuse', pins, url)).toMatchObject(expected);
  });
});

describe('with first use as it is by default, a user’s Notary', () => {
  it('that nobody has pinned is believed', async () => {
    expect(await judged('allow', [{ keyIds: [stranger.id] }])).toMatchObject({ kind: 'trusted' });
  });

  it('with another root than the pinned one is not', async () => {
    const strange = [{ server: own, keyIds: [stranger.id] }];
    expect(await judged('allow', strange)).toMatchObject({ why: 'bad-proof' });
  });
});
