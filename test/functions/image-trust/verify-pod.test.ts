import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import verifyPod from '#functions/image-trust/verify-pod.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Namespaces } from '#shared/ports.ts';
import { ask, patched, podWith, reviewOf, stage } from '#test/support/admission.ts';
import {
  evil,
  good,
  type JudgeStated,
  judgeStated,
} from '#test/support/image-trust/judge-stated.ts';
import {
  admitted,
  invalid,
  labelled,
  marked,
  mode,
  namespaces,
  podAs,
  rejecting,
  signed,
  status,
} from '#test/support/image-trust/verifying.ts';
import { randomPod } from '#test/support/random-pod.ts';

describe('verify-pod, of a new pod', () => {
  it('T-M5 marks and pins what is signed', async () => {
    const judge = signed();
    const { spec, metadata } = await marked({ judge });
    expect(spec.containers).toEqual([{ name: 'c0', image: `a.io/web:1@${good}` }]);
    expect(metadata).toEqual({ generateName: 'web-', labels: { [status]: 'success' } });
    expect(judge.judged).toHaveLength(1);
  });

  it('keeps the tag that is meant, so that the digest stays a digest of it', async () => {
    const { spec } = await marked({ object: podWith('nginx') });
    expect(spec.containers[0]?.image).toBe(`nginx:latest@${good}`);
  });

  it('leaves tags where the operator wants them', async () => {
    const { spec, metadata } = await marked({ settings: { digests: 'leave' } });
    expect(spec.containers[0]?.image).toBe('a.io/web:1');
    expect(metadata).toMatchObject({ labels: { [status]: 'success' } });
  });

  it('marks a pod of more images than are judged, in as many words as fit, and asks nobody', async () => {
    const judge = signed();
    const images = Array.from({ length: 3_000 }, (_, at) => `${at}.io/${'a'.repeat(100)}:1`);
    const { metadata } = await marked({ judge, object: podWith(...images) });
    expect(metadata).toMatchObject({
      labels: { [status]: 'failed' },
      annotations: {
        [rejecting]: 'reject',
        [invalid]: expect.stringMatching(/, and 2\d{3} more$/),
      },
    });
    expect(judge.judged).toEqual([]);
  });

  it.each(['success', 'failed', 'pending', 'some-unknown-label'])(
    'T-M15 goes by the images, whatever it says of itself: %s',
    async (value) => {
      expect((await marked({ object: labelled(value, 'a.io/web:1') })).metadata).toMatchObject({
        labels: { [status]: 'success' },
      });
      expect((await marked({ object: labelled(value, 'a.io/none:1') })).metadata).toMatchObject({
        labels: { [status]: 'failed' },
      });
    },
  );

  it('T-M6 X-M4 takes away what somebody wrote of it', async () => {
    const annotations = { [rejecting]: 'reject', [invalid]: 'made up', other: 'stays' };
    const { metadata } = await marked({ object: podAs({ annotations }, 'a.io/web:1') });
    expect(metadata).toMatchObject({ annotations: { other: 'stays' } });
    expect(Object.keys((metadata as JsonObject)['annotations'] ?? {})).toEqual(['other']);
  });

  it('T-M8 has what is not signed refused, by name', async () => {
    const { metadata, spec } = await marked({ object: podWith('test:test') });
    expect(metadata).toMatchObject({
      labels: { [status]: 'failed' },
      annotations: { [rejecting]: 'reject', [invalid]: 'test:test' },
    });
    expect(spec.containers[0]?.image).toBe('test:test');
  });

  it('names all that are not trusted once, sorted, and pins the others', async () => {
    const object = podWith('z.io/b:1', 'a.io/web:1', 'b.io/a:1', 'z.io/b:1');
    const { metadata, spec } = await marked({ object });
    expect(metadata).toMatchObject({ annotations: { [invalid]: 'b.io/a:1, z.io/b:1' } });
    expect(spec.containers[1]?.image).toBe(`a.io/web:1@${good}`);
  });

  it.each<[string, string, object, object]>([
    [
      'T-M9 the platform is strict',
      'enabled',
      { strictMode: true },
      { [rejecting]: 'reject', [invalid]: 'a.io/web:1' },
    ],
    [
      'T-M11 T-M22 the user is, and the platform is not',
      'user',
      { strictMode: false },
      { [rejecting]: 'reject', [invalid]: 'a.io/web:1' },
    ],
  ])('refuses what nobody can be asked about where %s', async (_, namespace, admission, marks) => {
    const judge = signed();
    judge.away.add('a.io/web:1');
    const { metadata, answer } = await marked({ judge, namespace, settings: { admission } });
    expect(metadata).toMatchObject({ labels: { [status]: 'pending' }, annotations: marks });
    expect(answer.warnings).toEqual([]);
  });

  it.each<[string, string, object]>([
    ['T-M10 the platform is not strict', 'enabled', { strictMode: false }],
    ['T-M12 T-M22 the user is not, and the platform is', 'lax', { strictMode: true }],
  ])(
    'lets what nobody can be asked about wait where %s, and says so',
    async (_, namespace, admission) => {
      const judge = signed();
      judge.away.add('a.io/web:1');
      const { metadata, spec, answer } = await marked({
        judge,
        namespace,
        settings: { admission },
      });
      expect(metadata).toEqual({ generateName: 'web-', labels: { [status]: 'pending' } });
      expect(spec.containers[0]?.image).toBe('a.io/web:1');
      expect(answer.warnings).toEqual([
        'a.io/web:1: who signs it could not be asked; it is pending, and will be looked at again',
      ]);
    },
  );

  it('tells of what nobody was asked about, since our line is full, that it is refused', async () => {
    const judgement = { kind: 'unavailable', why: 'not-verified', note: '' } as const;
    const judge = {
      ...signed(),
      judge: async (images: readonly string[]) => images.map((image) => ({ image, judgement })),
    };
    const settings = { admission: { strictMode: false } };
    const { answer } = await marked({ judge, settings });
    expect(answer.warnings).toEqual([
      'a.io/web:1: nobody has verified it yet; it is refused unless it can be verified before the pod is stored',
    ]);
  });

  it.each([
    ['a.io/none:1', 'a.io/web:1'],
    ['a.io/web:1', 'a.io/none:1'],
  ])('X-M5 lets invalid beat unavailable, in whatever order: %s, %s', async (...images) => {
    const judge = signed();
    judge.away.add('a.io/web:1');
    const settings = { admission: { strictMode: false } };
    const { metadata } = await marked({ judge, settings, object: podWith(...images) });
    expect(metadata).toMatchObject({
      labels: { [status]: 'failed' },
      annotations: { [invalid]: 'a.io/none:1, a.io/web:1' },
    });
  });

  it('T-M17 asks by whose rules the namespace is', async () => {
    const judge = signed();
    for (const namespace of ['enabled', 'system', 'user']) await admitted({ judge, namespace });
    expect(judge.judged.map(({ asked }) => asked.rules.owner)).toEqual([
      'platform',
      'platform',
      { namespace: 'user' },
    ]);
  });

  it.each(['plain', 'odd'])(
    'T-M16 asks nobody in a namespace that verifies nothing: %s',
    async (namespace) => {
      const judge = signed();
      const answer = await admitted({ judge, namespace });
      expect(answer).toMatchObject({ allowed: true, operations: [] });
      expect(judge.judged).toEqual([]);
    },
  );

  it('T-M21 has every image refused where the annotations are broken', async () => {
    const judge = signed();
    const { metadata } = await marked({ judge, namespace: 'broken' });
    expect(metadata).toMatchObject({
      labels: { [status]: 'failed' },
      annotations: { [rejecting]: 'reject', [invalid]: 'a.io/web:1' },
    });
    expect(judge.judged).toEqual([]);
  });

  it('knows a namespace that was labelled a moment ago', async () => {
    const live = namespacesInMemory({ name: 'new', labels: { [mode]: 'system' } });
    const stale: Namespaces = { ...live, find: async () => undefined };
    const { metadata } = await marked({ namespaces: stale, namespace: 'new' });
    expect(metadata).toMatchObject({ labels: { [status]: 'success' } });
  });

  it('shows a registry the pod’s own secrets alone, and plants nothing from a dry run', async () => {
    const judge = signed();
    const spec = { imagePullSecrets: [{ name: 'pull' }, {}, { name: '' }] };
    const pod = podWith('a.io/web:1');
    await admitted({ judge, dryRun: true, object: { ...pod, spec: { ...pod.spec, ...spec } } });
    expect(judge.judged[0]?.asked).toMatchObject({
      isDryRun: true,
      pod: { namespace: 'enabled', serviceAccount: 'default', pullSecrets: ['pull'] },
    });
  });

  it('verifies init containers and volumes as well, all at once', async () => {
    const judge = signed();
    const spec = {
      initContainers: [{ name: 'i', image: 'a.io/side:2' }],
      containers: [{ name: 'c', image: 'a.io/web:1' }],
      volumes: [{ name: 'v', image: { reference: 'nginx' } }],
    };
    const pod = await marked({ judge, object: { ...podWith(), spec } });
    expect(pod.spec).toEqual({
      initContainers: [{ name: 'i', image: `a.io/side:2@${evil}` }],
      containers: [{ name: 'c', image: `a.io/web:1@${good}` }],
      volumes: [{ name: 'v', image: { reference: `nginx:latest@${good}` } }],
    });
    expect(judge.judged).toHaveLength(1);
  });

  it('T-M2 T-M3 T-M4 answers in its own time, whatever a Notary does', async () => {
    const judge = signed();
    const slow: JudgeStated = {
      ...judge,
      judge: (images, { signal, withinMs = 60_000 }) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const enough = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
        enough.addEventListener('abort', () => resolve());
        return promise.then(() =>
          images.map((image) => ({
            image,
            judgement: { kind: 'unavailable', why: 'too-slow', note: '' },
          })),
        );
      },
    };
    const settings = { admission: { timeout: '20ms', strictMode: true } };
    const { metadata } = await marked({ judge: slow, settings });
    expect(metadata).toMatchObject({
      labels: { [status]: 'pending' },
      annotations: { [rejecting]: 'reject' },
    });
  });

  it('X-M7 has nothing to say of what is no pod', async () => {
    const judge = signed();
    const answer = await admitted({ judge, resource: 'deployments' });
    expect(answer).toMatchObject({ allowed: true, operations: [] });
    expect(judge.judged).toEqual([]);
  });

  it('leaves alone what a kubelet tells of a pod that it runs from a file', async () => {
    const annotations = { 'kubernetes.io/config.mirror': 'hash' };
    const object = podAs({ annotations }, 'a.io/none:1');
    const review = reviewOf({ object, namespace: 'enabled' });
    const request = review['request'] as JsonObject;
    const userInfo = { username: 'system:node:one', groups: ['system:nodes'] };
    const { app } = await stage({
      functions: [verifyPod],
      namespaces,
      ports: { namespaces, images: signed() },
    });
    const asked = (info: JsonObject) =>
      ask(app, '/defaulting/pods', { ...review, request: { ...request, userInfo: info } });
    expect(await asked(userInfo)).toMatchObject({
      operations: [],
      audit: { 'verify-pod.mirror-pod-images': 'a.io/none:1' },
    });
    expect((await asked({ username: 'ada', groups: [] })).operations).not.toEqual([]);
  });

  it('B22 answers its own result with nothing, whatever the pod', async () => {
    const judge = judgeStated({
      'nginx:latest': good,
      'nginx:1.27': good,
      'registry.test/team/app:v1': good,
      'registry.test:5000/app:latest': evil,
      'docker.io/library/busybox:latest': good,
    });
    const { app } = await stage({
      functions: [verifyPod],
      namespaces,
      ports: { namespaces, images: judge },
    });
    await fc.assert(
      fc.asyncProperty(randomPod, async (object) => {
        const twice = (pod: JsonObject) =>
          ask(app, '/defaulting/pods', reviewOf({ object: pod, namespace: 'enabled' }));
        const after = patched(object, await twice(object));
        expect((await twice(after)).operations).toEqual([]);
      }),
      { seed: 6_011, numRuns: 150 },
    );
  });
});
