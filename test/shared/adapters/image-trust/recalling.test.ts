import { describe, expect, it } from 'vitest';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const image = 'registry.example/team/app:1.0';

describe('what is recalled', () => {
  it.each(['all', 'either'] as const)(
    'of one verifier that is away and one that was never asked is that nobody has verified it: %s',
    async (need) => {
      const { world, replica } = stage();
      world.push(image, 'good');
      world.instead.rule = ({ url }) => (url.startsWith(notary) ? answer(503) : undefined);
      const judge = replica();
      expect(await judge.one(image)).toMatchObject({ why: 'notary' });
      expect(await judge.remember(image)).toMatchObject({ why: 'notary' });
      const [verifier] = rules.verifiers;
      const other = { ...verifier, url: 'https://other.example' } as typeof verifier;
      const both: TrustRules = { ...rules, verifiers: [verifier, other], need };
      expect(await judge.remember(image, { rules: both })).toMatchObject({ why: 'not-verified' });
    },
  );
});
