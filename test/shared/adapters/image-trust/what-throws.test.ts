import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { throwsTold } from '#shared/runtime/throws-told.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { until } from '#test/support/until.ts';

const { signal } = new AbortController();
const asked = { rules, isDryRun: false, signal };
const image = 'registry.example/team/app:1.0';
const registry = 'https://registry.example/';

/** A replica, the lines that it logs within one second, and whose bytes nobody can read. */
function throwing() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const threw = throwsTold({ error: (fields) => lines.push(fields) }, () => 0);
  const made = stage({}, undefined, { threw });
  const bug = new TypeError('split');
  const breakAt = (whose: string) => {
    made.world.instead.rule = ({ url }) => {
      if (url.startsWith(whose)) throw bug;
      return undefined;
    };
  };
  return { ...made, lines, bug, breakAt };
}

describe('what throws while an image is judged', () => {
  it.each([
    ['a prover', notary],
    ['the reading of a manifest', registry],
  ])('is one line, of however many images: %s', async (_, whose) => {
    const { world, replica, lines, bug, breakAt } = throwing();
    const images = Array.from({ length: 500 }, (__, at) => `registry.example/team/app${at}:1.0`);
    for (const each of images) world.push(each, 'good');
    breakAt(whose);
    const found = await replica().judge(images, asked);
    const bad = { kind: 'untrusted', why: 'bad-proof' };
    expect(found).toMatchObject(images.map((each) => ({ image: each, judgement: bad })));
    expect(lines).toEqual([{ err: bug, passedOver: 0 }]);
  });

  it.each([
    ['a prover', notary],
    ['the reading of a manifest', registry],
  ])('is told where nobody waits for it any more: %s', async (_, whose) => {
    const { world, clock, replica, lines, bug, breakAt } = throwing();
    const { one } = replica();
    const pinned = `registry.example/team/app@${world.push(image, 'good')}`;
    if (whose === notary) await one(pinned);
    // Past what was answered; its manifest is known for good.
    clock.advanceMs(10 * 60_000);
    breakAt(whose);
    world.delay.ms = 200;
    expect(await one(pinned, { withinMs: 20 })).toMatchObject({ kind: 'unavailable' });
    expect(lines).toEqual([]);
    await until(() => lines.length > 0);
    expect(lines).toEqual([{ err: bug, passedOver: 0 }]);
  });

  it.each([
    ['one that proves nothing to whoever judges it', 'judge', 'bad-proof'],
    ['one that nobody has verified yet to whoever recalls it', 'recall', 'not-verified'],
  ] as const)('is %s, and costs no other image', async (_, how, why) => {
    const { world, replica, lines } = throwing();
    const judge = replica();
    const digest = world.push(image, 'good');
    await world.sign('registry.example/team/app', { '1.0': digest });
    expect(await judge.one(image)).toMatchObject({ kind: 'trusted' });
    const verifiers = [{ kind: 'unheard-of' }] as unknown as TrustRules['verifiers'];
    const registries = [{ prefix: 'other.example', verifiers, need: 'all' }] as const;
    const images = [image, `other.example/app@${digest}`];
    const found = await judge[how](images, { ...asked, rules: { ...rules, registries } });
    expect(found).toMatchObject([{ judgement: { kind: 'trusted' } }, { judgement: { why } }]);
    expect(lines).toMatchObject([{ err: expect.any(TypeError) }]);
  });

  it.each([
    ['what the store throws by itself', new TypeError('no such column'), 1],
    ['that it is away', new Error('away'), 0],
  ])('has a line for %s', async (_, cause, count) => {
    const lines: unknown[] = [];
    const find = () => Promise.reject(cause);
    const open = () => ({ ...verdictsInMemory().open(), find });
    const { world, replica } = stage({}, open, { threw: (each) => lines.push(each) });
    world.push(image, 'good');
    expect(await replica().one(image)).toMatchObject({ kind: 'unavailable' });
    expect(lines.slice(0, 1)).toEqual([cause].slice(0, count));
  });
});
