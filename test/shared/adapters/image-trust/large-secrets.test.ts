import { describe, expect, it } from 'vitest';
import { secrets } from '#shared/domain/kind.ts';
import { guarded, rich } from '#test/support/image-trust/guarded.ts';

const right = { 'registry.example': { username: 'ann', password: 'secret' } };

/** The right login stands behind this many others. */
async function judgedBehind(count: number, what: What) {
  return judgedWith({ large: { ...others(count), ...right } }, what);
}

/** By pull secrets that are named in that order. */
async function judgedWith(named: Readonly<Record<string, object>>, what: What) {
  const { cluster, names, replica } = await guarded();
  for (const [name, auths] of Object.entries(named)) {
    const metadata = { namespace: 'team-a', name };
    const data = { '.dockerconfigjson': btoa(JSON.stringify({ auths })) };
    await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  }
  const asked = { ...rich, pod: { ...rich.pod, pullSecrets: Object.keys(named) } };
  return replica().one(names[what], asked);
}

type What = 'by tag' | 'by digest';

function others(count: number) {
  const names = Array.from({ length: count }, (_, at) => `r${at}.test`);
  return Object.fromEntries(names.map((name) => [name, { auth: btoa('ann:word') }]));
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

  it('is opened by a pull secret that is named before a full one, and refused with the reason behind it', async () => {
    const [own, full] = [{ own: right }, { full: others(2_000) }];
    expect(await judgedWith({ ...own, ...full }, what)).toMatchObject({ kind: 'trusted' });
    expect(await judgedWith({ ...full, ...own }, what)).toMatchObject({
      kind: 'untrusted',
      why: 'registry-refused',
      note: expect.stringMatching(
        /the pull secrets of its pod have more entries together .*: put the one for this registry/,
      ),
    });
  });
});
