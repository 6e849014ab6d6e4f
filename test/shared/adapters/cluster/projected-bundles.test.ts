import { describe, expect, it } from 'vitest';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { projectedBundles } from '#shared/adapters/cluster/projected-bundles.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, Write } from '#shared/ports.ts';
import { noSettings } from '#test/support/boot-document.ts';

type Answer = (sent: KubeObject) => Promise<Write>;

const kept: Answer = async (object) => ({ kind: 'written', object });
/** As a real API server answers (test/real/projected-bundles.test.ts). */
const dropped: Answer = async (object) => {
  const volumes = [{ name: 'probe', projected: { defaultMode: 420, sources: [{}] } }];
  return { kind: 'written', object: { ...object, template: { spec: { volumes } } } };
};
const away: Answer = () => Promise.reject(new Error('connect ECONNREFUSED'));
const busy: Answer = async () => ({ kind: 'busy', why: 'too many requests', afterSeconds: 1 });
const notFound: Answer = async () => ({ kind: 'not-found' });
const conflict: Answer = async () => ({ kind: 'conflict', why: 'it exists' });

function stage(first: Answer) {
  const clock = clockAt('2030-01-01T00:00:00Z');
  const at = { answer: first, asked: [] as unknown[] };
  const create: Cluster['create'] = (kind, object, options) => {
    at.asked.push([kind.resource, object.metadata.namespace, options]);
    return at.answer(object);
  };
  const documents = bootstrapDocumentsInMemory();
  documents.know('roots', { kind: 'present', hash: 'abc' });
  const cluster = { ...clusterInMemory(), create };
  const projected = projectedBundles(cluster, { settings: noSettings, clock })(documents);
  const seen = async () => (await projected.trustBundle('roots')).kind;
  return { at, clock, seen, projected };
}

describe('the bundle that pods get', () => {
  it('is tried by a dry run in our own namespace, once however many pods come', async () => {
    const { at, seen } = stage(kept);
    for (let pod = 0; pod < 100; pod += 1) expect(await seen()).toBe('present');
    const { namespace } = noSettings.current().installation;
    expect(at.asked).toEqual([['podtemplates', namespace, { dryRun: true }]]);
  });

  it('is none where the API server drops it, and is tried again half a minute later', async () => {
    const { at, clock, seen } = stage(dropped);
    expect(await seen()).toBe('not-projected');
    at.answer = kept;
    clock.advanceMs(31_000);
    expect(await seen()).toBe('present');
  });

  it('is noticed to be dropped five minutes after the gate was switched off', async () => {
    const { at, clock, seen } = stage(kept);
    expect(await seen()).toBe('present');
    at.answer = dropped;
    clock.advanceMs(301_000);
    expect(await seen()).toBe('not-projected');
  });

  it.each([
    ['nobody answers', away],
    ['the server is busy', busy],
    ['the server knows no such place', notFound],
    ['the server speaks of another one', conflict],
  ])('stays what it was while %s', async (_, answer) => {
    const { at, clock, seen } = stage(dropped);
    expect(await seen()).toBe('not-projected');
    at.answer = answer;
    clock.advanceMs(31_000);
    expect(await seen()).toBe('not-projected');
  });

  it.each([
    ['nobody could be asked yet', away],
    ['the server was busy from the start', busy],
  ])('is believed where %s: that says nothing of its gates', async (_, answer) => {
    const { at, seen } = stage(answer);
    for (let pod = 0; pod < 100; pod += 1) expect(await seen()).toBe('present');
    expect(at.asked).toHaveLength(1);
  });

  it('is asked for by the document as before', async () => {
    const { projected } = stage(kept);
    expect(await projected.current()).toBeUndefined();
  });
});
