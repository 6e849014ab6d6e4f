import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import preferPool from '#functions/node-affinity/prefer-pool.ts';
import bootstrapPod from '#functions/pod-bootstrap/bootstrap-pod.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { defineAdmission } from '#shared/define.ts';
import { anything } from '#shared/domain/decode.ts';
import { featureKeys } from '#shared/domain/pod-bootstrap/feature.ts';
import { allow, deny, patch, type Verdict } from '#shared/domain/verdict.ts';
import { type Answer, answerOf, podWith } from '#test/support/admission.ts';
import { pods } from '../../domain/pod-bootstrap/random-bootstrap.ts';
import { first, type Own, second, sent } from './recalling/api-server.ts';
import { recalling } from './recalling/recalling.ts';

const third: Own = { ...second, uid: '00000000-0000-4000-8000-000000000003' };
const managed = { 'operator.kyma-project.io/managed-by': 'kyma' };

function told(text: string): Promise<Answer> {
  return answerOf(new Response(text));
}

/** Says what it is told to, and by default what its settings say. */
function saying(verdict: (review: unknown) => Verdict = () => allow(), stated: object = {}) {
  return defineAdmission({
    name: 'say',
    capability: 'samples',
    phase: 'mutate',
    trigger: { resources: ['pods'], operations: ['CREATE', 'UPDATE'] },
    schema: anything,
    uses: ['settings', 'namespaces', 'nodes', 'bootstrapDocument'],
    deadlineMs: 1_000,
    onFailure: 'allow-with-warning',
    isRepeatable: true,
    handler: ({ object }) => verdict(object),
    ...stated,
  });
}

const labelled = patch([{ op: 'add', path: '/metadata/labels', value: { a: 'b' }, why: '' }]);

/** Two of a template, so that its answer is known. */
async function knowing(...given: Parameters<typeof recalling>) {
  const one = await recalling(...given);
  for (const own of [first, second]) await one.answer(sent(podWith('a'), { own }));
  return one;
}

const wanted = {
  podBootstrap: {
    landscape: 'NS2',
    document: {
      overrides: { 'registry.test': 'mirror.test:5001' },
      availableFeatures: [...featureKeys],
      clusterTrustBundle: {
        name: 'bench.test:ctb:1',
        certWritePath: 'bundle.pem',
        volumeMountPath: '/etc/ssl/certs',
        volumeName: 'rt-bootstrapper-certs',
      },
    },
  },
  nodeAffinity: { presence: 'assumed' as const },
};

async function production() {
  const namespaces = namespacesInMemory({ name: 'team-a', labels: managed });
  const documents = bootstrapDocumentsInMemory();
  const bundle = { kind: 'unknown' } as const;
  const bootstrapDocument = { ...documents, trustBundle: async () => bundle };
  const functions = [bootstrapPod, preferPool];
  const ports = { namespaces, bootstrapDocument };
  return {
    namespaces,
    ...(await recalling({ functions, namespaces, settings: wanted, ports })),
  };
}

const own: fc.Arbitrary<Own> = fc.record({
  uid: fc.uuid(),
  token: fc.string({
    unit: fc.constantFrom(...'bcdfghjklmnpqrstvwxz2456789'),
    minLength: 5,
    maxLength: 5,
  }),
  time: fc
    .integer({ min: 0, max: 86_399 })
    .map((second) => new Date(second * 1_000).toISOString().replace('.000', '')),
});

/** Anywhere, and by preference where the parts that may differ begin and end. */
const damage = fc.record({
  at: fc.nat(),
  isNear: fc.boolean(),
  byte: fc.oneof(fc.integer({ min: 32, max: 126 }), fc.nat(255)),
});

function damaged(
  body: Buffer,
  { at, isNear, byte }: { at: number; isNear: boolean; byte: number },
): Buffer {
  const bytes = Buffer.from(body);
  const near = ['"uid":"', 'kube-api-access-', '"time":"'].flatMap((mark) => {
    const found = body.lastIndexOf(mark, body.length - 1 - (at % body.length));
    return found === -1 ? [] : [found + (at % (mark.length + 40))];
  });
  const place = isNear ? near[at % Math.max(near.length, 1)] : undefined;
  bytes[(place ?? at) % bytes.length] = byte;
  return bytes;
}

describe('what is remembered of a template', () => {
  it('is what would be decided anew, of 500 random pods, and with any of their bytes another', async () => {
    const { answer, anew, decided } = await production();
    let reviews = 0;
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(
        pods,
        fc.array(own, { minLength: 4, maxLength: 4 }),
        damage,
        async (pod, owns, harm) => {
          const before = decided();
          const template = owns.map((each) => sent(pod, { own: each }));
          for (const body of template) expect(await answer(body)).toBe(await anew(body));
          asked += decided() - before;
          reviews += template.length;
          const other = damaged(template[0] ?? Buffer.alloc(1), harm);
          // Where the harm is in what nobody reads, the body may be no JSON as a whole.
          expect(await answer(other)).toBe(await anew(other, 'as-read'));
        },
      ),
      { numRuns: 500 },
    );
    // Two functions decide the first two of each four.
    expect(asked / reviews).toBeLessThan(1.1);
  }, 60_000);

  it('is shown whole to whom it may concern who wrote which field', async () => {
    const shown: unknown[] = [];
    const looking = saying((object) => {
      shown.push(object);
      return allow();
    });
    const { answer } = await recalling({ functions: [looking] });
    await answer(sent(podWith('a')));
    expect(shown).toMatchObject([{ metadata: { managedFields: [{ fieldsType: 'FieldsV1' }] } }]);
  });

  it('is answered with the uid that asks, and counted as if it had been decided', async () => {
    const { answer, decided, counted } = await knowing({
      functions: [saying(() => ({ ...labelled, audit: { pool: 'cpu' }, warnings: ['beware'] }))],
    });
    const countOf = (what: string) => counted.filter((each) => each.what === what).length;
    expect([decided(), countOf('ran'), countOf('answered'), countOf('told')]).toEqual([2, 2, 2, 2]);

    const { uid, operations, warnings } = await told(
      await answer(sent(podWith('a'), { own: third })),
    );
    expect({ uid, operations: operations.length, warnings }).toEqual({
      uid: third.uid,
      operations: 1,
      warnings: ['beware'],
    });
    expect([decided(), countOf('ran'), countOf('answered'), countOf('told')]).toEqual([2, 3, 3, 3]);
  });

  it('counts nothing for a dry run that it would not have counted', async () => {
    const { answer, decided, counted } = await recalling({
      functions: [saying(() => ({ ...labelled, audit: { pool: 'cpu' } }))],
    });
    for (const own of [first, second, third]) {
      await answer(sent(podWith('a'), { own, dryRun: true }));
    }
    expect(decided()).toBe(2);
    expect(counted.filter(({ what }) => what === 'told')).toEqual([]);
  });

  it.each<[string, ReturnType<typeof saying>]>([
    ['does not say that it may', saying(undefined, { isRepeatable: false })],
    ['asks one who does not only tell', saying(undefined, { uses: ['settings', 'images'] })],
    ['denies', saying(() => deny('no'))],
    ['fails', saying(() => JSON.parse('no verdict'))],
    [
      'reads the cluster itself',
      saying(undefined, {
        handler: async (
          _: unknown,
          { namespaces }: { namespaces: { findLive(name: string): Promise<unknown> } },
        ) => {
          await namespaces.findLive('team-a');
          return allow();
        },
      }),
    ],
    [
      'says the name of the token volume in a change',
      saying((pod) =>
        patch([
          {
            op: 'add',
            path: '/metadata/labels',
            value: { it: /kube-api-access-\w+/.exec(JSON.stringify(pod))?.[0] ?? '' },
            why: '',
          },
        ]),
      ),
    ],
    [
      'says it in a warning',
      saying((pod) => ({
        kind: 'allow',
        warnings: [/kube-api-access-\w+/.exec(JSON.stringify(pod))?.[0] ?? ''],
      })),
    ],
    [
      'says when the pod was written',
      saying((pod) =>
        patch([
          {
            op: 'add',
            path: '/metadata/labels',
            value: { it: /"time":"([^"]+)/.exec(JSON.stringify(pod))?.[1] ?? '' },
            why: '',
          },
        ]),
      ),
    ],
  ])('is nothing where a function %s', async (_, definition) => {
    const { ports } = { ports: { namespaces: namespacesInMemory({ name: 'team-a' }) } };
    const { answer, anew, decided } = await recalling({ functions: [definition], ports });
    for (const own of [first, second, third]) {
      const body = sent(podWith('a'), { own });
      const text = await answer(body);
      expect(text).toBe(await anew(body));
    }
    expect(decided()).toBe(3);
  });

  it.each([
    ['that nobody owns', { owner: undefined }],
    ['that exist', { operation: 'UPDATE' }],
  ])('is nothing of pods %s', async (_, stated) => {
    const { answer, decided } = await recalling({ functions: [saying()] });
    for (const own of [first, second, third]) await answer(sent(podWith('a'), { own, ...stated }));
    expect(decided()).toBe(3);
  });

  it('is nothing of a pod that is larger than what is held', async () => {
    const { answer, decided } = await recalling({ functions: [saying()] });
    for (const own of [first, second, third]) {
      await answer(sent(podWith('a'.repeat(70_000)), { own }));
    }
    expect(decided()).toBe(3);
  });

  it('is good for one path', async () => {
    const labels = saying(() => labelled, { name: 'label' });
    const { answer } = await knowing({ functions: [saying(), labels] });
    const body = sent(podWith('a'), { own: third });
    const operationsAt = async (path: string) => (await told(await answer(body, path))).operations;
    expect(await operationsAt('/mutate/pods')).toHaveLength(1);
    expect(await operationsAt('/mutate/say')).toEqual([]);
  });

  it('is what was said where nobody else was meant, and no more once somebody is', async () => {
    const verify = saying(() => labelled, {
      name: 'verify',
      isRepeatable: false,
      trigger: {
        ...{ resources: ['pods'], operations: ['CREATE'] },
        namespaceSelector: { setting: 'none', fallback: { matchLabels: { verified: 'yes' } } },
      },
    });
    const namespaces = namespacesInMemory({ name: 'team-a' });
    const { answer, decided } = await knowing({ functions: [saying(), verify], namespaces });
    const operations = async () =>
      (await told(await answer(sent(podWith('a'), { own: third })))).operations.length;
    expect([await operations(), decided()]).toEqual([0, 2]);
    namespaces.put({ name: 'team-a', labels: { verified: 'yes' } });
    expect([await operations(), await operations(), decided()]).toEqual([1, 1, 6]);
  });

  it('is good for one set of settings', async () => {
    const { answer, decided, settings } = await knowing({ functions: [saying()] });
    settings.change({ server: { timeoutSeconds: 7 } });
    await answer(sent(podWith('a'), { own: third }));
    expect(decided()).toBe(3);
  });
});

describe('what ports say', () => {
  it('takes back what was remembered as soon as it is another', async () => {
    const { answer, anew, namespaces, settings, decided } = await production();
    const body = (each: Own) => sent(podWith('registry.test/a:1'), { own: each });
    const answers = async () => {
      const before = decided();
      for (const each of [first, second, third]) {
        expect(await answer(body(each))).toBe(await anew(body(each)));
      }
      return [(await told(await answer(body(first)))).operations.length, decided() - before];
    };
    // Two functions: the first pod and the second are decided, the others are not.
    expect(await answers()).toEqual([7, 4]);
    namespaces.put({
      name: 'team-a',
      labels: managed,
      annotations: { 'rt-cfg.kyma-project.io/all': 'false' },
    });
    expect(await answers()).toEqual([1, 2]);
    namespaces.put({ name: 'team-a' });
    expect(await answers()).toEqual([6, 1]);
    namespaces.put({ name: 'team-a', labels: managed });
    expect(await answers()).toEqual([7, 2]);
    settings.change({ ...wanted, podBootstrap: {} });
    expect((await answers())[0]).toBe(1);
  });

  it('takes it back as well where it is said at once', async () => {
    let { current } = settingsFixed({ server: { timeoutSeconds: 5 } });
    const handler = (_: unknown, { settings }: Ports): Verdict => {
      const value = { it: String(settings.current().server.timeoutSeconds) };
      return patch([{ op: 'add', path: '/metadata/labels', value, why: '' }]);
    };
    const ports = { settings: { current: () => current() } };
    const { answer } = await knowing({ functions: [saying(undefined, { handler })], ports });
    ({ current } = settingsFixed({ server: { timeoutSeconds: 7 } }));
    const { operations } = await told(await answer(sent(podWith('a'), { own: third })));
    expect(JSON.stringify(operations)).toContain('"7"');
  });

  it('counts as it was while it was decided, whatever changed meanwhile', async () => {
    const waiting: (() => void)[] = [];
    const handler = async (_: unknown, { settings, namespaces }: Ports): Promise<Verdict> => {
      const { timeoutSeconds } = settings.current().server;
      const found = await namespaces.find('team-a');
      await new Promise<void>((resolve) => waiting.push(resolve));
      const value = { it: `${timeoutSeconds} ${found?.uid}` };
      return patch([{ op: 'add', path: '/metadata/labels', value, why: '' }]);
    };
    const namespaces = namespacesInMemory({ name: 'team-a', uid: 'old' });
    const functions = [saying(undefined, { handler })];
    const { answer, decided } = await recalling({ functions, ports: { namespaces } });
    const said = async (own: Own) => {
      const [answered] = await Promise.all([
        answer(sent(podWith('a'), { own })),
        release(waiting, namespaces),
      ]);
      return (await told(answered)).operations;
    };
    await said(first);
    namespaces.put({ name: 'team-a', uid: 'old' });
    const renamed = said(second);
    expect(JSON.stringify(await renamed)).toContain('old');
    // While the second was decided by the old one, there came a new one.
    expect(JSON.stringify(await said(third))).toContain('new');
    expect(decided()).toBe(3);
  });

  it('is waited for only as long as deciding may take', async () => {
    let hangs = false;
    const found = namespacesInMemory({ name: 'team-a' });
    const namespaces = {
      ...found,
      find: (name: string) => (hangs ? new Promise<never>(() => {}) : found.find(name)),
    };
    const handler = async (_: unknown, { namespaces: asked }: Ports): Promise<Verdict> => {
      await asked.find('team-a');
      return labelled;
    };
    const functions = [saying(undefined, { handler, deadlineMs: 50 })];
    const { answer } = await knowing({ functions, ports: { namespaces } });
    hangs = true;
    const { warnings } = await told(await answer(sent(podWith('a'), { own: third })));
    expect(warnings.join()).toContain('could not answer');
    hangs = false;
    const again = await told(await answer(sent(podWith('a'), { own: first })));
    expect(again.warnings).toEqual([]);
  });
});

type Ports = Parameters<typeof bootstrapPod.handler>[1];

/** Changes the namespace while the second one waits, then lets all go on. */
async function release(waiting: (() => void)[], namespaces: ReturnType<typeof namespacesInMemory>) {
  await new Promise(setImmediate);
  if (waiting.length > 0) namespaces.put({ name: 'team-a', uid: 'new' });
  for (const goOn of waiting.splice(0)) goOn();
}
