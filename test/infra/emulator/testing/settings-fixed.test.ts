import { expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';

it('takes every default from the product', () => {
  const { nodeAffinity, server } = settingsFixed({ nodeAffinity: { pools: ['p'] } }).current();
  expect(nodeAffinity.pools).toEqual(['p']);
  expect(nodeAffinity.labelKey).toBe('worker.gardener.cloud/pool');
  expect(server.port).toBe(9443);
});

it('refuses what the product refuses, and says where', () => {
  expect(() => settingsFixed({ nodeAffinity: { weight: 101 } })).toThrow('$.nodeAffinity.weight');
});

it('changes as a whole, as a file does', () => {
  const settings = settingsFixed({ nodeAffinity: { weight: 3 } });
  settings.change({ nodeAffinity: { pools: ['other'] } });
  expect(settings.current().nodeAffinity).toMatchObject({ pools: ['other'], weight: 10 });
});
