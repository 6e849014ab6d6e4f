import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { resyncSeconds } from '#shared/domain/pod-bootstrap/housekeeping/resync.ts';

function resync(clusterTrustBundle: object, everySeconds = 600) {
  const given = { podBootstrap: { document: { clusterTrustBundle }, restart: { everySeconds } } };
  const { document, restart } = settingsFixed(given).current().podBootstrap;
  return resyncSeconds(document, restart);
}

describe('the resyncInterval of the document', () => {
  it.each<[string, object, number | undefined]>([
    ['counts where it is sooner than our own period', { resyncInterval: '5m' }, 300],
    ['does not where our own comes first', { resyncInterval: '1h' }, undefined],
    ['does not where it says the same', { resyncInterval: '10m' }, undefined],
    ['does not where nothing is said', {}, undefined],
    ['is never shorter than ten seconds', { resyncInterval: '1ms' }, 10],
    ['does not run backwards', { resyncInterval: '-5m' }, 10],
  ])('%s', (_, stated, expected) => {
    expect(resync({ name: 'ca', ...stated })).toBe(expected);
  });

  it('means nothing where no bundle is named', () => {
    expect(resync({ resyncInterval: '5m' })).toBeUndefined();
  });
});
