import { describe, expect, it } from 'vitest';
import type { Attack } from '#test/support/tuf/attack.ts';
import { delegateAttacks } from '#test/support/tuf/attacks/delegates.ts';
import { endingAttacks } from '#test/support/tuf/attacks/endings.ts';
import { ownerAttacks } from '#test/support/tuf/attacks/owners.ts';
import { rootAttacks } from '#test/support/tuf/attacks/roots.ts';
import { serverAttacks } from '#test/support/tuf/attacks/servers.ts';
import { verified } from '#test/support/tuf/scene.ts';

const attacks: readonly Attack[] = [
  ...serverAttacks,
  ...ownerAttacks,
  ...delegateAttacks,
  ...rootAttacks,
];

describe('an attack', () => {
  it.each([...attacks, ...endingAttacks].map((each) => [each.name, each] as const))(
    'is seen and its benign twin is trusted: %s',
    (_, { evil, why, role, benign }) => {
      expect(verified(evil).verdict).toMatchObject({ kind: 'untrusted', why, role });
      expect(verified(benign).verdict).toMatchObject({ kind: 'trusted' });
    },
  );

  it.each(['unreachable', 'timeout', 'unauthorized', 'server-error'] as const)(
    'that only keeps us from asking (%s) makes nothing untrusted, and nothing trusted',
    (why) => {
      const everything = attacks.map(({ benign }) =>
        verified({ ...benign, instead: () => ({ kind: 'failed', why }) }),
      );
      expect(everything.map(({ verdict }) => verdict)).toEqual(
        everything.map(() => ({ kind: 'unavailable', why, role: expect.any(String) })),
      );
    },
  );

  it('that keeps the successor from us makes nothing trusted of what has ended', () => {
    const silence = () => ({ kind: 'failed', why: 'unreachable' }) as const;
    for (const { benign } of endingAttacks) {
      const { verdict } = verified({ ...benign, instead: silence });
      expect(verdict).toMatchObject({ kind: 'untrusted', why: 'bad-certificate' });
    }
  });
});
