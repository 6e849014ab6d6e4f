import { describe, expect, it } from 'vitest';
import { loadRegistry } from '#infra/cli/load.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { followedBy } from '#shared/runtime/forwarding/followed.ts';
import { isQueued, queuedOf } from '#shared/runtime/serving/reconciling.ts';
import type { QueueChoice } from '#shared/runtime/worker/queueing.ts';

const registry = await loadRegistry(undefined);
const settings = settingsFixed({}).current();
const sqs: QueueChoice = { kind: 'sqs', prefix: 'gatehouse-test' };

const followed = (queue: QueueChoice) =>
  followedBy(queuedOf({ registry, queue }), settings).map(({ scope }) => scope.kind.resource);

describe('what messages wake', () => {
  it('is every function where Postgres is the queue', () => {
    const queue: QueueChoice = { kind: 'postgres' };
    expect(queuedOf({ registry, queue }).definitions).toEqual(registry.definitions);
    expect(followed(queue)).toEqual(
      expect.arrayContaining(['mutatingwebhookconfigurations', 'secrets', 'nodes']),
    );
  });

  it('is no function of certificates on SQS, and nothing is followed for those', () => {
    const own = registry.definitions.filter(({ capability }) => capability === 'certificates');
    expect(own.length).toBeGreaterThan(0);
    for (const each of own) expect(isQueued(each, { queue: sqs })).toBe(false);
    expect(followed(sqs)).toContain('nodes');
    expect(followed(sqs)).not.toContain('mutatingwebhookconfigurations');
    expect(followed(sqs)).not.toContain('secrets');
  });
});
