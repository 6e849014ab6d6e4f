import { describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import {
  type ClusterInMemory,
  clusterInMemory,
} from '#infra/emulator/testing/cluster-in-memory.ts';
import { eventWriter } from '#shared/adapters/cluster/events.ts';
import { events as kind, nodes, pods } from '#shared/domain/kind.ts';
import type { Cluster, Write } from '#shared/ports.ts';

const clock = () => clockAt('2030-01-01T00:00:00Z');
const regarding = { kind: pods, namespace: 'team-a', name: 'web', uid: 'u1' };
const outside = {
  regarding,
  type: 'Warning',
  reason: 'OutsidePool',
  note: 'runs elsewhere',
} as const;

function writer(cluster: Cluster, at = clock()) {
  return eventWriter(cluster, at, { component: 'gatehouse' });
}

function only(cluster: ClusterInMemory) {
  const [event, ...others] = cluster.objects(kind);
  if (event === undefined || others.length > 0) throw new Error('not one Event');
  return event;
}

describe('an Event', () => {
  it('is all that the API asks for', async () => {
    const cluster = clusterInMemory();
    await writer(cluster).report(outside);
    expect(only(cluster)).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: 'team-a', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) },
      eventTime: '2030-01-01T00:00:00.000000Z',
      reportingController: 'gatehouse',
      reportingInstance: 'gatehouse',
      action: 'OutsidePool',
      reason: 'OutsidePool',
      type: 'Warning',
      note: 'runs elsewhere',
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'team-a', name: 'web', uid: 'u1' },
    });
  });

  it('says when it was last seen', async () => {
    const cluster = clusterInMemory();
    const at = clock();
    await writer(cluster, at).report(outside);
    at.advanceMs(61_000);
    await writer(cluster, at).report(outside);
    expect(only(cluster)['series']).toEqual({
      count: 2,
      lastObservedTime: '2030-01-01T00:01:01.000000Z',
    });
  });

  it('about what has no namespace is in the default one, and does not say that its object is', async () => {
    const cluster = clusterInMemory();
    await writer(cluster).report({ ...outside, regarding: { kind: nodes, name: 'n', uid: 'u2' } });
    expect(only(cluster).metadata.namespace).toBe('default');
    expect(only(cluster)['regarding']).not.toHaveProperty('namespace');
  });

  it.each([
    ['a note of 1,024 bytes', 'é'.repeat(512), 'é'.repeat(512)],
    ['a longer one, whole characters only', 'é'.repeat(513), `${'é'.repeat(510)}…`],
    ['a longer one that is cut between characters', 'a'.repeat(1_025), `${'a'.repeat(1_021)}…`],
  ])('holds %s', async (_, note, expected) => {
    const cluster = clusterInMemory();
    await writer(cluster).report({ ...outside, note });
    expect(only(cluster)['note']).toBe(expected);
    expect(Buffer.byteLength(String(only(cluster)['note']))).toBeLessThanOrEqual(1_024);
  });

  it.each([
    ['a long one', 'a'.repeat(300), /^a{236}\.[0-9a-f]{16}$/],
    ['one with colons and capitals', 'system:Node', /^system-node\.[0-9a-f]{16}$/],
    ['one that would end in a dot', `${'a'.repeat(235)}.b`, /^a{235}\.[0-9a-f]{16}$/],
    ['one of no letter at all', ':::', /^[0-9a-f]{16}$/],
  ])('makes a valid name of %s', async (_, name, expected) => {
    const cluster = clusterInMemory();
    await writer(cluster).report({ ...outside, regarding: { ...regarding, name } });
    expect(only(cluster).metadata.name).toMatch(expected);
    expect(only(cluster).metadata.name?.length).toBeLessThanOrEqual(253);
  });

  it('is counted again after somebody else counted first', async () => {
    const cluster = clusterInMemory();
    await writer(cluster).report(outside);
    let raced = false;
    const racing: Cluster = {
      ...cluster,
      async patch(...given) {
        if (!raced) {
          raced = true;
          await writer(cluster).report(outside);
        }
        return cluster.patch(...given);
      },
    };
    await writer(racing).report(outside);
    expect(only(cluster)['series']).toMatchObject({ count: 3 });
  });

  it('is left to those who count without end, after three attempts', async () => {
    const cluster = clusterInMemory();
    await writer(cluster).report(outside);
    let attempts = 0;
    const lost: Cluster = {
      ...cluster,
      async patch(): Promise<Write> {
        attempts += 1;
        return { kind: 'conflict', why: 'changed' };
      },
    };
    await writer(lost).report(outside);
    expect(attempts).toBe(3);
  });

  it('that the server has no time for is an error', async () => {
    const busy: Cluster = {
      ...clusterInMemory(),
      create: async () => ({ kind: 'busy', why: 'too many requests', afterSeconds: 1 }),
    };
    await expect(writer(busy).report(outside)).rejects.toThrow('too many requests');
  });
});
