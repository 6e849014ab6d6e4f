import { createHook } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { doorTo, imageTrust } from '#shared/runtime/image-trust.ts';
import { rules } from '#test/support/image-trust/judging.ts';
import { asked } from '#test/support/registry/outside-world.ts';

/** What the system is asked for meanwhile. */
async function lookupsDuring(work: () => Promise<unknown>): Promise<number> {
  let lookups = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'GETADDRINFOREQWRAP') lookups += 1;
    },
  }).enable();
  await work().finally(() => hook.disable());
  return lookups;
}

it('all doors of a process look names up together', async () => {
  const { imageTrust: settings } = settingsFixed().current();
  const doors = [doorTo(settings), doorTo({ ...settings })];
  const reads = () => Promise.all(doors.map((door) => door.read(asked('https://localhost:1/'))));
  expect(await lookupsDuring(reads)).toBe(1);
  for (const door of doors) door.close();
});

it("the platform's hosts are looked up before whatever a namespace names", async () => {
  const heard: string[] = [];
  const judge = imageTrust({
    settings: settingsFixed({
      imageTrust: {
        hosts: ['registry.test:5000', '127.0.0.1:5000', '[::1]'].map((host) => ({
          host,
          plainHttp: false,
          addresses: [],
        })),
        mirrors: [{ of: 'docker.io', at: 'mirror.test/hub' }],
        tokenServers: { 'hub.test': ['tokens.test'] },
        userHosts: ['theirs.test', 'registry.test'],
        notary: { URL: 'https://notary.test/path' },
      },
    }),
    clock: clockAt('2030-01-01T00:00:00Z'),
    cluster: clusterInMemory(),
    bootstrapDocument: { current: async () => undefined },
    store: verdictsInMemory().open(),
    resolve: async (name) => {
      heard.push(name);
      return [];
    },
  });
  const verifier = { ...rules.verifiers[0], url: 'https://evil.test' };
  await judge.judge(['evil.test/app:1.0'], {
    rules: { ...rules, verifiers: [verifier] },
    isDryRun: false,
    signal: AbortSignal.timeout(5_000),
  });
  judge.close();
  const first = ['notary', 'registry', 'mirror', 'hub', 'tokens', 'theirs'];
  const platform = first.map((name) => `${name}.test`);
  expect(heard.slice(0, platform.length)).toEqual(platform);
  expect(heard).toContain('evil.test');
});
