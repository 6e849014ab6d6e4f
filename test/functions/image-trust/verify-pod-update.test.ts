import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { patched, podWith } from '#test/support/admission.ts';
import { good } from '#test/support/image-trust/judge-stated.ts';
import {
  admitted,
  invalid,
  labelled,
  marked,
  podAs,
  rejecting,
  signed,
  status,
} from '#test/support/image-trust/verifying.ts';

const update = { operation: 'UPDATE' } as const;

describe('verify-pod, of an update', () => {
  it.each<[string, string | undefined, string]>([
    ['T-M13 nothing', undefined, 'success'],
    ['T-M14 pending', 'pending', 'success'],
    ['T-M14 failed', 'failed', 'success'],
  ])(
    'X-M3 verifies an image that it brings, whatever the label says: %s',
    async (_, value, expected) => {
      const pod = (image: string) =>
        value === undefined ? podWith(image) : labelled(value, image);
      const { metadata, spec } = await marked({
        ...update,
        old: pod('a.io/old:1'),
        object: pod('a.io/web:1'),
      });
      expect(spec.containers[0]?.image).toBe(`a.io/web:1@${good}`);
      expect(metadata).toMatchObject({ labels: { [status]: expected } });

      const bad = await marked({ ...update, old: pod('a.io/old:1'), object: pod('a.io/none:1') });
      expect(bad.metadata).toMatchObject({
        labels: { [status]: 'failed' },
        annotations: { [rejecting]: 'reject', [invalid]: 'a.io/none:1' },
      });
    },
  );

  it.each<[string, string]>([
    ['success', 'success'],
    ['pending', 'pending'],
    ['failed', 'pending'],
  ])('has the rest of a pod that was %s be %s still', async (before, after) => {
    const old = labelled(before, 'a.io/old:1', 'a.io/other:1');
    const object = labelled(before, 'a.io/web:1', 'a.io/other:1');
    const judge = signed();
    expect((await marked({ ...update, judge, old, object })).metadata).toMatchObject({
      labels: { [status]: after },
    });
    expect(judge.judged[0]?.images).toEqual(['a.io/web:1']);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['T-M13 that was verified', labelled('success', 'a.io/none:1'), {}],
    ['T-M14 that is pending', labelled('pending', 'a.io/none:1'), {}],
    ['without a label', podWith('a.io/none:1'), {}],
  ])('asks nobody about a pod %s and brings no image', async (_, old) => {
    const judge = signed();
    const metadata = { ...(old['metadata'] as JsonObject), finalizers: [] };
    const answer = await admitted({ ...update, judge, old, object: { ...old, metadata } });
    expect(answer).toMatchObject({ allowed: true, operations: [] });
    expect(judge.judged).toEqual([]);
  });

  it('T-M7 takes a rejection away that outlived its request, and nothing else', async () => {
    const metadata = { labels: { [status]: 'pending' }, annotations: { [rejecting]: 'reject' } };
    const object = podAs(metadata, 'a.io/none:1');
    const { operations } = await admitted({ ...update, old: object, object });
    expect(operations).toEqual([
      { op: 'remove', path: '/metadata/annotations/pods.warden.kyma-project.io~1validate-reject' },
    ]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['is written', podWith('a.io/none:1'), labelled('success', 'a.io/none:1')],
    ['is changed', labelled('failed', 'a.io/none:1'), labelled('success', 'a.io/none:1')],
    ['is taken away', labelled('failed', 'a.io/none:1'), podWith('a.io/none:1')],
  ])('puts a status right that %s by a stranger', async (_, old, object) => {
    const after = patched(object, await admitted({ ...update, old, object }));
    const labels = (pod: JsonObject) =>
      ((pod['metadata'] as JsonObject)['labels'] ?? {}) as JsonObject;
    expect(labels(after)[status]).toBe(labels(old)[status]);
  });

  it('leaves the status to whoever the operator names', async () => {
    const old = labelled('failed', 'a.io/none:1');
    const object = labelled('success', 'a.io/none:1');
    const settings = { statusWriters: ['ada'] };
    expect((await admitted({ ...update, settings, old, object })).operations).toEqual([]);
  });

  it('leaves a pod alone that is being deleted, by what the old one says', async () => {
    const going = { deletionTimestamp: '2030-01-01T00:00:00Z' };
    const old = podAs(going, 'a.io/old:1');
    const object = podAs(going, 'a.io/none:1');
    expect((await admitted({ ...update, old, object })).operations).toEqual([]);
    const lying = await admitted({ ...update, old: podWith('a.io/old:1'), object });
    expect(lying.operations).not.toEqual([]);
  });

  it('pins an ephemeral container that repeats an unpinned tag, and touches nothing else', async () => {
    const pod = podWith('a.io/web:1');
    const ephemeralContainers = [{ name: 'debug', image: 'a.io/web:1' }];
    const object = { ...pod, spec: { ...pod.spec, ephemeralContainers } };
    const asked = { ...update, subResource: 'ephemeralcontainers', old: pod };
    expect((await admitted({ ...asked, object })).operations).toEqual([
      { op: 'replace', path: '/spec/ephemeralContainers/0/image', value: `a.io/web:1@${good}` },
    ]);
    const bad = {
      ...pod,
      spec: { ...pod.spec, ephemeralContainers: [{ name: 'd', image: 'x.io/y' }] },
    };
    expect((await admitted({ ...asked, object: bad })).operations).toEqual([]);
  });

  it('takes everything for new where the old pod cannot be read', async () => {
    const answer = await admitted({ ...update, old: { spec: 1 }, object: podWith('a.io/none:1') });
    expect(answer.operations).not.toEqual([]);
  });
});
