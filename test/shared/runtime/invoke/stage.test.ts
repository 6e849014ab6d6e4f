import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { defineReconcile } from '#shared/define.ts';
import { done } from '#shared/domain/outcome.ts';
import { readEnvironment } from '#shared/runtime/config.ts';
import { openStage } from '#shared/runtime/invoke/stage.ts';
import { logRecorded } from '#test/support/running.ts';
import { eventually } from '#test/support/working.ts';

const sweep = defineReconcile({
  name: 'sweep',
  capability: 'samples',
  trigger: { everySeconds: { setting: 'custom.sweep.everySeconds', fallback: 60 } },
  uses: [],
  deadlineMs: 1_000,
  handler: () => done,
});

function openWith(everySeconds: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stage-'));
  const file = join(folder, 'gatehouse.yaml');
  const write = (value: unknown) =>
    writeFileSync(file, JSON.stringify({ custom: { sweep: { everySeconds: value } } }));
  write(everySeconds);
  const log = { ...logRecorded(), setLevel: () => {} };
  const stage = openStage(sweep, {
    schema: [],
    environment: readEnvironment({ GATEHOUSE_CONFIG: file }),
    log,
  });
  onTestFinished(async () => {
    await stage.close();
    rmSync(folder, { recursive: true });
  });
  const said = () =>
    log.lines.flatMap(({ level, fields }) =>
      fields['condition'] === 'settings-of-functions' ? [[level, fields['why']]] : [],
    );
  return { write, said };
}

it('a bundle says once what stands in the settings for its function and cannot be used', async () => {
  const { write, said } = openWith('60s');
  const why =
    'sweep: custom.sweep.everySeconds: expected a number, found "60s"; 60 is used. Mend the configuration';
  expect(said()).toEqual([['error', why]]);
  write(30);
  await eventually(() => expect(said()).toMatchObject([{}, ['info', 'all of it can be used']]));
});

it('a bundle says nothing of settings that its function can use, and says it when they change', async () => {
  const { write, said } = openWith(30);
  expect(said()).toEqual([]);
  write(0);
  await eventually(() => expect(said()).toMatchObject([['error', expect.any(String)]]));
});
