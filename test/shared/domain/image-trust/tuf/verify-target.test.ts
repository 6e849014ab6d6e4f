import { describe, expect, it } from 'vitest';
import { publish } from '#test/support/tuf/publish.ts';
import { goodDigest, gun, plan, targetsKey, verified } from '#test/support/tuf/scene.ts';

describe('verifyTarget', () => {
  it('says which digest a tag has, who signed it, and how long that holds', () => {
    const { verdict, repository } = verified({ files: publish(plan) });
    expect(verdict).toEqual({
      kind: 'trusted',
      name: '1.0',
      digest: goodDigest,
      length: 423,
      by: { role: 'targets', keyIds: [targetsKey.id] },
      until: new Date('2031-01-01T00:00:00.123Z'),
    });
    expect(repository?.root.basis).toBe('first-use');
    expect(gun).toBe('registry.example/team/app');
  });
});
