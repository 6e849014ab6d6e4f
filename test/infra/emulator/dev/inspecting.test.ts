import { once } from 'node:events';
import inspector from 'node:inspector';
import { afterEach, expect, it } from 'vitest';
import { openConnections } from '#infra/emulator/cluster/admission/reaching/connections.ts';
import { isInspected, openInspector, untimed } from '#infra/emulator/dev/inspecting.ts';
import { configInWork } from '#infra/emulator/dev/settings.ts';
import { defaultSettings } from '#shared/runtime/config/load.ts';
import { openConfig } from '#shared/runtime/config/source.ts';
import { openRegistry } from '#shared/runtime/registry.ts';
import addLandscape from '../../../support/functions/add-landscape.ts';

afterEach(() => inspector.close());

it('a function has its deadline but for as long as a debugger may stand in it', () => {
  const { deadlineMs } = addLandscape;
  const run = untimed(addLandscape);
  expect(run).toEqual(addLandscape);
  const { close } = openInspector(0);
  expect(isInspected()).toBe(true);
  expect(run.deadlineMs).toBe(2 ** 31 - 1);
  close();
  expect(run.deadlineMs).toBe(deadlineMs);
});

it('a message stays in the hands of who stands at a breakpoint', () => {
  const file = openConfig({ file: undefined, onChange: () => {} });
  const opened = openRegistry([]);
  if (!file.ok || !opened.ok) throw new Error('there are defaults');
  const registry = opened.registry;
  const visibility = () =>
    configInWork(file.source, { registry, server: { port: 1 } }).current().worker.visibilitySeconds;
  expect(visibility()).toBe(defaultSettings.worker.visibilitySeconds);
  openInspector(0);
  expect(visibility()).toBe(3_600);
});

it('the emulated API server waits for its webhooks while it is told to', async () => {
  const timed = openConnections(() => false).deadline(0.01);
  const untimedCall = openConnections(() => true).deadline(0.01);
  await once(timed, 'abort');
  expect(untimedCall.aborted).toBe(false);
});
