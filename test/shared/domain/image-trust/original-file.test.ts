import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { withOriginalFile } from '#shared/domain/image-trust/original-file.ts';

const { imageTrust } = settingsFixed().current();

describe("a configuration file of Warden's", () => {
  it('is read as it is, and what it leaves out stays as it was', () => {
    const original = {
      notary: {
        URL: 'https://n.example',
        timeout: '5s',
        allowedRegistries: 'a.example, b.example',
      },
      admission: { strictMode: false, timeout: '2s', serviceName: 'warden-admission' },
      operator: { podReconcilerRequeueAfter: '1h', leaderElect: true },
      logging: { format: 'text' },
    };
    const read = withOriginalFile(imageTrust, original);
    expect(read).toMatchObject({ ok: true, unknown: [], settings: original });
    expect(read.ok && read.settings.notary.roles).toEqual(imageTrust.notary.roles);
    expect(read.ok && read.settings.logging.level).toBe('info');
  });

  const chart = {
    notary: {
      URL: 'https://signing.example',
      timeout: '30s',
      allowedRegistries: 'a.example, b.example',
      predefinedUserAllowedRegistries: 'c.example',
    },
    admission: {
      systemNamespace: 'kyma-system',
      serviceName: 'warden-admission',
      secretName: 'warden-admission-cert',
      port: 8443,
      timeout: '9s',
      strictMode: false,
    },
    operator: {
      metricsBindAddress: '127.0.0.1:8080',
      healthProbeBindAddress: ':8081',
      leaderElect: true,
      podReconcilerRequeueAfter: '61m',
    },
    logging: { format: 'json', level: 'info' },
  };

  it('as the chart renders it has every key read, and what only its own server needs is told', () => {
    const read = withOriginalFile(imageTrust, chart);
    expect(read).toMatchObject({
      ok: true,
      settings: chart,
      unknown: [],
      unused: [
        'admission.systemNamespace',
        'admission.serviceName',
        'admission.secretName',
        'admission.port',
        'operator.metricsBindAddress',
        'operator.healthProbeBindAddress',
        'operator.leaderElect',
      ],
      logging: chart.logging,
    });
  });

  it.each([
    ['y', true],
    ['Y', true],
    ['yes', true],
    ['on', true],
    ['n', false],
    ['N', false],
    ['no', false],
    ['off', false],
  ])('may say %s where Go reads a truth', (word, strictMode) => {
    const original = { admission: { strictMode: word }, operator: { leaderElect: word } };
    expect(withOriginalFile(imageTrust, original)).toMatchObject({
      ok: true,
      settings: { admission: { strictMode }, operator: { leaderElect: strictMode } },
    });
  });

  it('may say null for nothing, and things that nobody knows', () => {
    const original = { notary: { URL: null, cache: true }, admission: null, extra: 1 };
    const unknown = ['notary.cache', 'extra'];
    expect(withOriginalFile(imageTrust, original)).toMatchObject({
      ok: true,
      unknown,
      settings: imageTrust,
    });
  });

  it.each<[string, unknown, string]>([
    ['a number for a duration', { notary: { timeout: 30 } }, '$.notary.timeout'],
    ['a level that is none', { logging: { level: 'loud' } }, '$.logging.level'],
    [
      'a truth that Go does not read',
      { admission: { strictMode: 'Yes' } },
      '$.admission.strictMode',
    ],
    ['a list', [], '$'],
  ])('is refused for %s', (_, original, path) => {
    expect(withOriginalFile(imageTrust, original)).toMatchObject({
      ok: false,
      problems: [{ path }],
    });
  });
});
