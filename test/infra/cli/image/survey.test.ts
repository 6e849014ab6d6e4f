import { describe, expect, it } from 'vitest';
import { withRootsOf } from '#infra/cli/image/ground.ts';
import { survey } from '#infra/cli/image/survey.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { modeLabel } from '#shared/domain/image-trust/label-keys.ts';
import { good, judgeStated } from '#test/support/image-trust/judge-stated.ts';
import { stage } from '#test/support/image-trust/judging.ts';
import { rootSigner } from '#test/support/tuf/scene.ts';

const namespace = { name: 'a', uid: '', labels: { [modeLabel]: 'system' }, annotations: {} };

describe('a survey', () => {
  it('has no more than eight images looked at at a time', async () => {
    const signed = judgeStated({ 'a.io/web:1': good });
    let [now, most] = [0, 0];
    const judge: typeof signed = {
      ...signed,
      judge: async (images, asked) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise(setImmediate);
        now -= 1;
        return signed.judge(images, asked);
      },
    };
    const question = { image: 'a.io/web:1', namespace, pod: undefined, pods: 1 };
    const told: number[] = [];
    const { rows, notAsked } = await survey(
      Array.from({ length: 50 }, () => question),
      {
        judge,
        settings: settingsFixed().current().imageTrust,
        columns: ['rules'],
        signal: new AbortController().signal,
        onAnswered: (count) => void told.push(count),
      },
    );
    expect([most, notAsked]).toEqual([8, 0]);
    expect(told).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect(rows).toMatchObject([{ image: 'a.io/web:1', namespaces: ['a'], pods: 50 }]);
  });
});

describe('the roots that an installation trusts', () => {
  const gun = 'registry.example/team/app';

  it('are trusted in a report, which leaves nothing with them', async () => {
    const { world, replica } = stage();
    const installation = verdictsInMemory();
    const digest = world.push(`${gun}:1`, 'good');
    await world.sign(gun, { '1': digest });
    const report = () => replica(withRootsOf(installation.open(), verdictsInMemory().open()));

    expect(await report().one(`${gun}:1`)).toMatchObject({ kind: 'trusted' });
    const other = await rootSigner(gun);
    await world.sign(gun, { '1': digest }, { owner: other });
    // Nothing was planted by the report before: this one is a first use again.
    await replica(installation.open()).one(`${gun}:1`);
    await world.sign(gun, { '1': digest }, { owner: await rootSigner(gun) });
    expect(await report().one(`${gun}:1`)).toMatchObject({ kind: 'untrusted', why: 'bad-proof' });
    expect(await replica(verdictsInMemory().open()).one(`${gun}:1`)).toMatchObject({
      kind: 'trusted',
    });
  });
});
