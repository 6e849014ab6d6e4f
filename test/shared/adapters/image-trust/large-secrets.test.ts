import { describe, expect, it } from 'vitest';
import { secrets } from '#shared/domain/kind.ts';
import { guarded, rich } from '#test/support/image-trust/guarded.ts';

/** The right login stands behind this many others. */
async function judgedBehind(count: number, what: 'by tag' | 'by digest') {
  const { cluster, names, replica } = await guarded();
  const others = Array.from({ length: count }, (_, at) => [
    `r${at}.test`,
    { auth: btoa('ann:word') },
  ]);
  const right = { 'registry.example': { username: 'ann', password: 'secret' } };
  const config = JSON.stringify({ auths: { ...Object.fromEntries(others), ...right } });
  const metadata = { namespace: 'team-a', name: 'large' };
  const data = { '.dockerconfigjson': Buffer.from(config).toString('base64') };
  await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  const asked = { ...rich, pod: { ...rich.pod, pullSecrets: ['large'] } };
  return replica().one(names[what], asked);
}

describe.each(['by tag', 'by digest'] as const)('an image that is named %s', (what) => {
  it('is opened by the last of many entries of a pull secret', async () => {
    expect(await judgedBehind(1_999, what)).toMatchObject({ kind: 'trusted' });
  });

  it('is refused with the reason where that is one of more than are read', async () => {
    expect(await judgedBehind(2_000, what)).toMatchObject({
      kind: 'untrusted',
      why: 'registry-refused',
      note: expect.stringMatching(
        /a pull secret has more entries than are read \(2000 hosts, 200 patterns\): put the one for/,
      ),
    });
  });
});
