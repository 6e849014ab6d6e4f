import { parseDuration } from '../duration.ts';
import type { Settings } from '../settings.ts';

export type Policy = {
  readonly caLifetimeMs: number;
  readonly leafLifetimeMs: number;
  /** Of a life; never more than half of it, or rotation would never rest. */
  readonly renewCaBeforeMs: number;
  readonly renewLeafBeforeMs: number;
  readonly settleMs: number;
  readonly dnsNames: readonly string[];
};

/** Clocks of API servers may be behind ours. */
export const backdateMs = 5 * 60_000;

export function policyFrom(settings: Settings): Policy {
  const { certificates } = settings;
  const caLifetimeMs = durationOf(certificates.caLifetime);
  const leafLifetimeMs = durationOf(certificates.leafLifetime);
  const renewBeforeMs = durationOf(certificates.renewBefore);
  return {
    caLifetimeMs,
    leafLifetimeMs,
    renewCaBeforeMs: Math.min(renewBeforeMs, caLifetimeMs / 2),
    renewLeafBeforeMs: Math.min(renewBeforeMs, leafLifetimeMs / 2),
    settleMs: durationOf(certificates.settle),
    dnsNames: servedNames(settings),
  };
}

/** The names under which API servers call us; the first one is the certificate's own. */
export function servedNames({ installation, certificates }: Settings): readonly string[] {
  const name = `${installation.service}.${installation.namespace}`;
  const ofService = [`${name}.svc`, `${name}.svc.cluster.local`, name];
  return [...new Set([...ofService, ...certificates.dnsNames])];
}

function durationOf(text: string): number {
  const milliseconds = parseDuration(text);
  // The settings' decoder has refused it long before.
  if (milliseconds === undefined) throw new Error(`not a duration: ${text}`);
  return milliseconds;
}
