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
    ['a list', [], '$'],
  ])('is refused for %s', (_, original, path) => {
    expect(withOriginalFile(imageTrust, original)).toMatchObject({
      ok: false,
      problems: [{ path }],
    });
  });
});
