import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  at,
  bundleHash,
  type Case,
  decided,
  fips,
  landscape,
  modified,
  only,
  podOf,
  podRead,
  provenance,
  pullSecret,
  registry,
  stored,
} from './bootstrapping.ts';

const web = { name: 'web', image: 'replace.me/web:1' };
const init = { name: 'init', image: 'example.com/init:1' };

function annotationsOf(pod: JsonObject): JsonObject {
  return (at(pod, 'metadata', 'annotations') ?? {}) as JsonObject;
}

function envOf(pod: JsonObject, list = 'containers', index = 0): unknown {
  return at(pod, 'spec', list, index, 'env');
}

const fipsOn = [
  { name: 'KYMA_FIPS_MODE_ENABLED', value: 'true' },
  { name: 'FIPS_MODE_ENABLED', value: 'true' },
];

describe('the images of a pod', () => {
  const given = only(registry);

  it('B1 are pulled from elsewhere, those of init containers and volumes too', () => {
    const volumes = [
      { name: 'data', image: { reference: 'example.com/data:2', pullPolicy: 'Always' } },
    ];
    const pod = stored(
      podOf([web, { name: 'b', image: 'nginx' }], { initContainers: [init], volumes }),
      given,
    );
    expect(at(pod, 'spec', 'containers', 0, 'image')).toBe('localhost:5001/web:1');
    expect(at(pod, 'spec', 'containers', 1, 'image')).toBe('nginx');
    expect(at(pod, 'spec', 'initContainers', 0, 'image')).toBe('localhost:5002/init:1');
    expect(at(pod, 'spec', 'volumes', 0, 'image')).toEqual({
      reference: 'localhost:5002/data:2',
      pullPolicy: 'Always',
    });
  });

  const ephemeral = [
    { name: 'old', image: 'replace.me/old' },
    { name: 'new', image: 'replace.me/new' },
  ];

  it('are left alone by a request for ephemeral containers, but for the new one', () => {
    const old = podRead(podOf([web], { ephemeralContainers: ephemeral.slice(0, 1) }));
    const verdict = decided(podOf([web], { ephemeralContainers: ephemeral }), {
      request: { kind: 'ephemeral', old },
    });
    expect(verdict).toMatchObject({
      kind: 'patch',
      changes: [
        { op: 'replace', path: '/spec/ephemeralContainers/1/image', value: 'localhost:5001/new' },
      ],
    });
  });

  it('are rewritten in an update where the update brings them, and nothing else is', () => {
    const old = podRead(
      podOf([{ ...web, image: 'localhost:5001/web:1' }], { initContainers: [init] }),
    );
    const verdict = decided(podOf([web], { initContainers: [init] }), {
      request: { kind: 'update', old },
    });
    expect(verdict).toMatchObject({
      kind: 'patch',
      changes: [{ op: 'replace', path: '/spec/containers/0/image', value: 'localhost:5001/web:1' }],
    });
    expect(
      decided(podOf([web]), { request: { kind: 'update', old: podRead(podOf([web])) } }),
    ).toEqual({ kind: 'allow' });
  });
});

describe('the pull secret', () => {
  const given = only(pullSecret);
  const secrets = (pod: JsonObject) => at(stored(pod, given), 'spec', 'imagePullSecrets');
  const ours = { name: 'registry-credentials' };

  it('B2 is named once, after those that are there', () => {
    expect(secrets(podOf([web]))).toEqual([ours]);
    expect(secrets(podOf([web], { imagePullSecrets: [{ name: 'own' }] }))).toEqual([
      { name: 'own' },
      ours,
    ]);
    expect(secrets(podOf([web], { imagePullSecrets: [ours, { name: 'own' }] }))).toEqual([
      ours,
      { name: 'own' },
    ]);
  });

  it.each([[null], [[]]])('is named where the list is %j', (imagePullSecrets) => {
    expect(secrets(podOf([web], { imagePullSecrets }))).toEqual([ours]);
  });

  it.each<[string, JsonObject, Case['annotations'], number]>([
    ['whose namespace has opted out', { [pullSecret]: 'true' }, { [pullSecret]: 'false' }, 1],
    ['whose namespace says nothing', { [pullSecret]: 'true' }, {}, 0],
    ['that says nothing itself', {}, { [pullSecret]: 'false' }, 0],
  ])('is told to be missing to a pod %s, or not', (_, own, annotations, count) => {
    const pod = { ...podOf([web]), metadata: { annotations: own } };
    expect(decided(pod, { ...given, annotations: annotations ?? {} }).warnings ?? []).toHaveLength(
      count,
    );
  });

  it('is not told to be missing where it is copied from', () => {
    const pod = { ...podOf([web]), metadata: { annotations: { [pullSecret]: 'true' } } };
    const annotations = { [pullSecret]: 'false' };
    expect(
      decided(pod, { ...given, annotations, namespace: 'kyma-system' }).warnings ?? [],
    ).toEqual([]);
  });
});

describe('the signals', () => {
  it('B8 tell every container the landscape', () => {
    const pod = stored(podOf([web, { name: 'b' }], { initContainers: [init] }), only(landscape));
    const told = [{ name: 'KYMA_LANDSCAPE', value: 'NS2' }];
    expect([envOf(pod), envOf(pod, 'containers', 1), envOf(pod, 'initContainers')]).toEqual([
      told,
      told,
      told,
    ]);
    expect(annotationsOf(pod)[modified]).toBe('true');
  });

  it.each([
    ['absent', [], [{ name: 'KYMA_LANDSCAPE', value: 'NS2' }]],
    [
      'the same',
      [{ name: 'KYMA_LANDSCAPE', value: 'NS2' }],
      [{ name: 'KYMA_LANDSCAPE', value: 'NS2' }],
    ],
    [
      'another',
      [
        { name: 'KYMA_LANDSCAPE', value: 'X' },
        { name: 'A', value: '1' },
      ],
      [
        { name: 'KYMA_LANDSCAPE', value: 'NS2' },
        { name: 'A', value: '1' },
      ],
    ],
    [
      'B23 taken from elsewhere',
      [{ name: 'KYMA_LANDSCAPE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      [{ name: 'KYMA_LANDSCAPE', value: 'NS2' }],
    ],
    [
      'there twice',
      [
        { name: 'KYMA_LANDSCAPE', value: 'NS2' },
        { name: 'KYMA_LANDSCAPE', value: 'X' },
      ],
      [
        { name: 'KYMA_LANDSCAPE', value: 'NS2' },
        { name: 'KYMA_LANDSCAPE', value: 'NS2' },
      ],
    ],
  ])('B9 are right in the end where the variable is %s', (_, env, expected) => {
    expect(envOf(stored(podOf([{ ...web, env }]), only(landscape)))).toEqual(expected);
  });

  it('B9 are taken from the namespace, and nobody else is told', () => {
    const asked = only(landscape, { defaultMode: 'optIn' });
    const annotations = { [landscape]: 'true' };
    expect(envOf(stored(podOf([web]), { ...asked, annotations, landscape: 'CN' }))).toEqual([
      { name: 'KYMA_LANDSCAPE', value: 'CN' },
    ]);
    expect(decided(podOf([web]), asked)).toEqual({ kind: 'allow' });
  });

  it('say nothing of a landscape that nobody configured, and say so', () => {
    expect(decided(podOf([web]), { ...only(landscape), landscape: '' })).toEqual({
      kind: 'allow',
      warnings: ['the landscape is not told to the containers: none is configured'],
    });
  });

  it('B19 tell every container of FIPS mode, in order', () => {
    const pod = stored(
      podOf([{ ...web, env: [{ name: 'A', value: '1' }] }], { initContainers: [init] }),
      only(fips),
    );
    expect(envOf(pod)).toEqual([{ name: 'A', value: '1' }, ...fipsOn]);
    expect(envOf(pod, 'initContainers')).toEqual(fipsOn);
  });
});

const present = { trustBundle: { kind: 'present', hash: 'ab'.repeat(32) } } as const;
const mostBytes = 262_144;

/** With annotations that leave so many bytes. */
function padded(pod: JsonObject, room: number): JsonObject {
  return { ...pod, metadata: { annotations: { own: 'x'.repeat(mostBytes - 3 - room) } } };
}

function sizeOf(annotations: JsonObject): number {
  return Buffer.byteLength(Object.entries(annotations).flat().join(''));
}

describe('a pod that was bootstrapped', () => {
  it('bears the marks of upstream and ours, beside its own', () => {
    const trustBundle = { kind: 'present', hash: 'ab'.repeat(32) } as const;
    const pod = stored(podOf([web], { metadata: { annotations: { own: 'x' } } }), { trustBundle });
    const marks = annotationsOf(pod);
    expect(marks).toMatchObject({ own: 'x', [modified]: 'true', [bundleHash]: 'ab'.repeat(32) });
    expect(JSON.parse(String(marks[provenance]))).toEqual({
      version: 1,
      features: [
        'alter-img-registry',
        'add-img-pull-secret',
        'add-cluster-trust-bundle',
        'set-fips-mode',
        'set-landscape',
      ],
      configuration: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('bears our mark alone where it had all of it', () => {
    const pod = podOf([{ name: 'web', image: 'nginx' }]);
    const marks = annotationsOf(stored(pod, only(registry)));
    expect(Object.keys(marks)).toEqual([provenance]);
  });

  it('B22 is left as it is the second time', () => {
    const once = stored(podOf([web], { initContainers: [init] }));
    expect(decided(once)).toEqual({ kind: 'allow' });
  });

  it('B19 has everything at once', () => {
    const pod = stored(podOf([web], { volumes: [{ name: 'token', projected: {} }] }));
    expect(at(pod, 'spec', 'volumes', 1, 'name')).toBe('rt-bootstrapper-certs');
    expect(at(pod, 'spec', 'containers', 0)).toEqual({
      name: 'web',
      image: 'localhost:5001/web:1',
      env: [...fipsOn, { name: 'KYMA_LANDSCAPE', value: 'NS2' }],
      volumeMounts: [
        { name: 'rt-bootstrapper-certs', readOnly: true, mountPath: '/etc/ssl/certs' },
      ],
    });
  });

  it('is not marked where its annotations leave no room for that, and is not denied for it', () => {
    const pod = padded(podOf([web]), 300);
    const verdict = decided(pod, present);
    const once = stored(pod, present);
    expect(annotationsOf(once)).toEqual(annotationsOf(pod));
    expect(at(once, 'spec', 'containers', 0, 'image')).toBe('localhost:5001/web:1');
    expect(verdict.warnings).toEqual([expect.stringContaining('leave no room for ours')]);
    expect(decided(once, present)).toEqual({ kind: 'allow', warnings: verdict.warnings });
  });

  it.each([
    ['with its bundle', present],
    ['without one', only(registry)],
  ])(
    'never has more annotations than the API server takes, %s, however often it is asked',
    (_, given) => {
      const rooms = Array.from({ length: 90 }, (_, step) => step * 6);
      const marked = rooms.filter((room) => {
        const once = stored(padded(podOf([web]), room), given);
        expect(sizeOf(annotationsOf(once))).toBeLessThanOrEqual(mostBytes);
        expect(decided(once, given).kind).toBe('allow');
        return provenance in annotationsOf(once);
      });
      expect(marked.length).toBeGreaterThan(10);
      expect(marked.length).toBeLessThan(80);
    },
  );

  it('says of each change who wanted it', () => {
    const verdict = decided(podOf([web]), {
      ...only(registry),
      annotations: { [registry]: 'true' },
    });
    expect(verdict.kind === 'patch' && verdict.changes[0]?.why).toBe(
      'its registry is rewritten (namespace team-a)',
    );
  });
});

describe('a pod is left alone', () => {
  it.each<[string, JsonObject, Case]>([
    ['where nothing is available', podOf([web]), { document: { availableFeatures: [] } }],
    ['where nobody opted in', podOf([web]), { document: { defaultMode: 'optIn' } }],
    [
      'that the kubelet made of a file',
      podOf([web], { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      {},
    ],
    [
      'that opted out',
      podOf([web], { metadata: { annotations: { 'rt-cfg.kyma-project.io/all': 'false' } } }),
      {},
    ],
  ])('%s', (_, pod, given) => {
    expect(decided(pod, given)).toEqual({ kind: 'allow' });
  });

  it('with a few warnings, however much is wrong with it', () => {
    const odd = Array.from({ length: 100 }, (_, i) => [`rt-cfg.kyma-project.io/x${i}`, 'true']);
    const pod = podOf([web], { metadata: { annotations: Object.fromEntries(odd) } });
    const { warnings } = decided(pod, { document: { defaultMode: 'optIn' } });
    expect(warnings).toHaveLength(9);
    expect(warnings?.at(-1)).toBe('and 92 more like these');
  });
});
