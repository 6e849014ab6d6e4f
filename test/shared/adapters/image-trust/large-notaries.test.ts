import { describe, expect, it } from 'vitest';
import { namespaceTrust } from '#shared/domain/image-trust/namespace-trust.ts';
import { stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';

const gun = 'registry.example/team/app';
const own = 'https://notary.team.example/n';
const prefix = 'namespaces.warden.kyma-project.io';

/** What becomes of an image whose Notary has so many tags. */
async function judged(tags: number, server: typeof own | typeof notary) {
  const { world, settings, replica } = stage();
  const digest = world.push(`${gun}:1.0`, 'good');
  const others = Array.from({ length: tags }, (_, at) => [`t${at}`, digest] as const);
  await world.sign(gun, { ...Object.fromEntries(others), '1.0': digest }, { server });
  if (server === notary) return replica().one(`${gun}:1.0`);
  const annotations = { [`${prefix}/notary-url`]: own };
  const namespace = { name: 'team-a', labels: { [`${prefix}/validate`]: 'user' }, annotations };
  const trust = namespaceTrust(namespace, settings.current().imageTrust);
  if (trust.kind !== 'rules') throw new Error('the namespace is broken');
  return replica().one(`${gun}:1.0`, { rules: trust.rules });
}

describe('a Notary with more tags than a namespace’s own may have', () => {
  // Whoever may write a namespace would keep all others waiting, seconds for each repository that he makes up.
  it('is not read where a namespace names it', async () => {
    expect(await judged(30_000, own)).toMatchObject({
      kind: 'untrusted',
      why: 'bad-proof',
      note:
        `the file targets that https://notary.team.example/n has for ${gun}:1.0 is larger than 2048 KiB, ` +
        "the most that is read of a namespace's own Notary: sign fewer tags in one repository",
    });
    expect(await judged(10_000, own)).toMatchObject({ kind: 'trusted' });
  });

  it('is read where it is the platform’s', async () => {
    expect(await judged(30_000, notary)).toMatchObject({ kind: 'trusted' });
  });
});
