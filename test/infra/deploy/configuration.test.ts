import { describe, expect, it } from 'vitest';
import { configMap, statedSettings } from '#infra/deploy/configuration.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { defaultSettings, loadSettings } from '#shared/runtime/config/load.ts';

describe('the stated settings', () => {
  it('are none where all are the presets', () => {
    expect(statedSettings(defaultSettings)).toEqual({});
  });

  it.each<[string, Partly<Settings>]>([
    ['a single key of a section', { server: { drainSeconds: 30 } }],
    ['a list', { capabilities: ['node-affinity', 'mine'] }],
    ['settings of a user’s own function', { custom: { mine: { deep: { er: [1, 2] } } } }],
    [
      'a selector that extends the preset one',
      {
        nodeAffinity: {
          namespaceSelector: {
            matchLabels: { 'operator.kyma-project.io/managed-by': 'kyma', team: 'a' },
          },
        },
      },
    ],
    [
      'a selector that takes the preset one’s labels away',
      { nodeAffinity: { namespaceSelector: {} } },
    ],
  ])('are exactly what was stated: %s', (_, stated) => {
    expect(statedSettings(settingsFixed(stated).current())).toEqual(stated);
  });

  it('are read back by the server as the settings that they were made from', () => {
    const settings = settingsFixed({
      installation: { namespace: 'gatehouse-two', exemptNamespaces: ['postgres'] },
      certificates: { source: 'files' },
      custom: { text: 'a: b\n- c # d' },
    }).current();
    const { data } = configMap(settings);

    expect(loadSettings(String(Object(data)['gatehouse.yaml']), { file: 'x' })).toEqual({
      ok: true,
      settings,
    });
  });

  it('are a file that the server takes where all are the presets', () => {
    const { data } = configMap(defaultSettings);

    expect(data).toEqual({ 'gatehouse.yaml': '{}\n' });
  });
});
