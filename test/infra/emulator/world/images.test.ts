import { describe, expect, it } from 'vitest';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { defineAdmission } from '#shared/define.ts';
import { record, text } from '#shared/domain/decode.ts';
import { allow, deny } from '#shared/domain/verdict.ts';
import { rules } from '#test/support/image-trust/judging.ts';
import { trustWorld } from '#test/support/image-trust/trust-world.ts';

const gun = 'registry.example/team/app';

const judgeMaps = defineAdmission({
  name: 'judge-maps',
  capability: 'sample',
  phase: 'validate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: record({ metadata: record({ name: text }) }),
  uses: ['images'],
  deadlineMs: 2_000,
  onFailure: 'deny',
  async handler({ dryRun: isDryRun, deadline: signal }, { images }) {
    const [finding] = await images.judge([`${gun}:1.0`], { rules, isDryRun, signal });
    return finding?.judgement.kind === 'trusted' ? allow() : deny(finding?.judgement.kind ?? '');
  },
});

function pod(name: string) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: {} };
}

describe('the world of a test', () => {
  it('has production’s judge, before whoever the test puts outside', async () => {
    const beyond = trustWorld();
    await beyond.sign(gun, { '1.0': beyond.push(`${gun}:1.0`, 'good') });
    await using world = await emulate({ functions: [judgeMaps], outside: beyond.outside });
    expect(await world.admit(pod('a'))).toMatchObject({ verdict: 'allow' });
    expect(await world.admit(pod('b'))).toMatchObject({ verdict: 'allow' });
    expect(beyond.timestamps()).toBe(1);
  });

  it('has nobody outside where the test says nothing', async () => {
    await using world = await emulate({ functions: [judgeMaps] });
    expect(await world.admit(pod('a'))).toMatchObject({ reasons: ['unavailable'] });
  });
});
