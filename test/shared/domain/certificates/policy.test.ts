import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { policyFrom } from '#shared/domain/certificates/policy.ts';

const hour = 3_600_000;

describe('policyFrom', () => {
  it('reads the presets', () => {
    expect(policyFrom(settingsFixed().current())).toMatchObject({
      caLifetimeMs: 8_760 * hour,
      leafLifetimeMs: 2_160 * hour,
      renewCaBeforeMs: 720 * hour,
      renewLeafBeforeMs: 720 * hour,
      settleMs: 10_000,
    });
  });

  it('renews in the second half of a life only, whatever is asked for', () => {
    const certificates = { caLifetime: '60s', leafLifetime: '30s', renewBefore: '1h' };
    expect(policyFrom(settingsFixed({ certificates }).current())).toMatchObject({
      renewCaBeforeMs: 30_000,
      renewLeafBeforeMs: 15_000,
    });
  });

  it('names the Service and what is configured, each once', () => {
    const { dnsNames } = policyFrom(
      settingsFixed({
        installation: { service: 'hook', namespace: 'ns' },
        certificates: { dnsNames: ['hook.ns.svc', 'other.ns.svc'] },
      }).current(),
    );
    expect(dnsNames).toEqual([
      'hook.ns.svc',
      'hook.ns.svc.cluster.local',
      'hook.ns',
      'other.ns.svc',
    ]);
  });
});
