import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  at,
  bundle,
  bundleHash,
  type Case,
  decided,
  modified,
  mount,
  only,
  podOf,
  stored,
  trustBundle,
  volume,
} from './bootstrapping.ts';

const web = { name: 'web', image: 'nginx' };
const init = { name: 'init', image: 'nginx' };

function given(more: JsonObject = {}, rest: Case = {}): Case {
  return { ...only(bundle, { clusterTrustBundle: { ...trustBundle, ...more } }), ...rest };
}

function mountsOf(pod: JsonObject, list = 'containers', index = 0): unknown {
  return at(pod, 'spec', list, index, 'volumeMounts');
}

describe('the trust bundle', () => {
  it('B5 is one volume, mounted in every container, init containers included', () => {
    const pod = stored(podOf([web, { name: 'b' }], { initContainers: [init] }), given());
    expect(at(pod, 'spec', 'volumes')).toEqual([volume]);
    expect([
      mountsOf(pod),
      mountsOf(pod, 'containers', 1),
      mountsOf(pod, 'initContainers'),
    ]).toEqual([[mount], [mount], [mount]]);
  });

  it('B6 is not there where the pod says no', () => {
    const pod = podOf([web], { metadata: { annotations: { [bundle]: 'false' } } });
    expect(decided(pod, given({}, { annotations: { [bundle]: 'true' } }))).toEqual({
      kind: 'allow',
    });
  });

  it('is recognised after the API server has added what nobody states', () => {
    const defaulted = {
      ...volume,
      projected: { ...volume.projected, defaultMode: 420 },
    };
    const pod = stored(podOf([web]), given());
    expect(
      decided({ ...pod, spec: { ...(pod['spec'] as JsonObject), volumes: [defaulted] } }, given()),
    ).toEqual({ kind: 'allow' });
  });

  it('may be optional', () => {
    const pod = stored(podOf([web]), given({ optional: true }));
    expect(
      at(pod, 'spec', 'volumes', 0, 'projected', 'sources', 0, 'clusterTrustBundle', 'optional'),
    ).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['of another type', { name: 'rt-bootstrapper-certs', emptyDir: {} }],
    [
      'of another bundle',
      {
        name: 'rt-bootstrapper-certs',
        projected: { sources: [{ clusterTrustBundle: { name: 'x', path: 'y' } }] },
      },
    ],
    [
      'of more than the bundle',
      {
        name: 'rt-bootstrapper-certs',
        projected: { sources: [...volume.projected.sources, { secret: { name: 'x' } }] },
      },
    ],
  ])("B24 leaves a user's volume of its name in place: one %s", (_, own) => {
    const pod = podOf([web], { volumes: [own] });
    expect(decided(pod, given())).toEqual({
      kind: 'allow',
      warnings: [
        'no trust bundle is mounted: the pod has a volume rt-bootstrapper-certs of its own',
      ],
    });
  });

  it.each([
    ['there', '/etc/ssl/certs'],
    ['there, with a slash', '/etc/ssl/certs/'],
    ['below', '/etc/ssl/certs/own.crt'],
    ['there, with more slashes', '//etc/ssl//certs'],
    ['above', '/etc/ssl'],
    ['above all', '/'],
    ['there, by a path that the kubelet makes absolute', 'etc/ssl/certs'],
    ['there, with a dot', '/etc/ssl/./certs/.'],
    ['there, there and back', '/etc/x/../ssl/certs'],
    ['there, from above all', '/../etc/ssl/certs'],
    ['above, there and back', '/etc/ssl/certs/..'],
    ['above all, of no name', '.'],
  ])('B25 leaves alone a container that mounts something %s', (_, mountPath) => {
    const own = { name: 'own', mountPath };
    const pod = podOf([{ ...web, volumeMounts: [own] }, { name: 'b' }], {
      volumes: [{ name: 'own', emptyDir: {} }],
    });
    const verdict = decided(pod, given());
    expect(verdict.warnings).toEqual([
      `no trust bundle is mounted in container web: it mounts ${mountPath} itself`,
    ]);
    const after = stored(pod, given());
    expect([mountsOf(after), mountsOf(after, 'containers', 1)]).toEqual([[own], [mount]]);
  });

  it.each(['/etc/ssl/certs', '/etc/ssl', '/etc/ssl/certs/disk'])(
    'B25 leaves alone a container that has a device at %s',
    (devicePath) => {
      const pod = podOf([{ ...web, volumeDevices: [{ name: 'disk', devicePath }] }, { name: 'b' }]);
      expect(decided(pod, given()).warnings).toEqual([
        `no trust bundle is mounted in container web: it mounts ${devicePath} itself`,
      ]);
      const after = stored(pod, given());
      expect([mountsOf(after), mountsOf(after, 'containers', 1)]).toEqual([undefined, [mount]]);
    },
  );

  it('B25 sees it also where its own path is spelled otherwise', () => {
    const stated = given({ volumeMountPath: '/etc/./ssl/x/../certs/' });
    const own = { name: 'own', mountPath: '/etc/ssl/certs' };
    const pod = podOf([{ ...web, volumeMounts: [own] }, { name: 'b' }]);
    expect(decided(pod, stated).warnings).toHaveLength(1);
    const after = stored(pod, stated);
    expect(decided(after, stated).kind).toBe('allow');
    expect([mountsOf(after), at(after, 'spec', 'containers', 1, 'volumeMounts', 0)]).toMatchObject([
      [own],
      { mountPath: '/etc/./ssl/x/../certs/' },
    ]);
  });

  it('is mounted at an absolute path where the document states a relative one', () => {
    const relative = given({ volumeMountPath: 'etc/ssl/certs', mode: 'mountAndEnvironment' });
    const own = { name: 'own', mountPath: '/etc/ssl/certs' };
    const pod = podOf([web, { name: 'b', volumeMounts: [own] }]);
    const after = stored(pod, relative);
    expect([mountsOf(after), mountsOf(after, 'containers', 1)]).toEqual([[mount], [own]]);
    expect(at(after, 'spec', 'containers', 0, 'env', 0, 'value')).toBe(
      '/etc/ssl/certs/kube-apiserver-serving.pem',
    );
  });

  it('is seen where upstream has mounted it at a relative path', () => {
    const relative = given({ volumeMountPath: 'etc/ssl/certs' });
    const theirs = { ...mount, mountPath: 'etc/ssl/certs' };
    const pod = podOf([{ ...web, volumeMounts: [theirs] }], { volumes: [volume] });
    expect(mountsOf(stored(pod, relative))).toEqual([theirs]);
  });

  it.each(['/etc/ssl/certs..', '/etc/.ssl/certs', '/etc/ssl/.../certs', '/etc/ssl/certs/../own'])(
    'is mounted beside %s',
    (mountPath) => {
      const pod = podOf([{ ...web, volumeMounts: [{ name: 'own', mountPath }] }]);
      expect(decided(pod, given()).kind).toBe('patch');
    },
  );

  it('adds no volume that no container would mount', () => {
    const pod = podOf([{ ...web, volumeMounts: [{ name: 'own', mountPath: '/etc/ssl/certs' }] }]);
    expect(decided(pod, given()).kind).toBe('allow');
  });

  it('is mounted beside what only looks alike', () => {
    const own = { name: 'own', mountPath: '/etc/ssl/certsuite' };
    const elsewhere = { name: 'rt-bootstrapper-certs', mountPath: '/mine' };
    const pod = stored(
      podOf([{ ...web, volumeMounts: [own, elsewhere] }], { volumes: [volume] }),
      given(),
    );
    expect(mountsOf(pod)).toEqual([own, elsewhere, mount]);
  });

  it('is not mounted where the cluster has no such kind', () => {
    expect(decided(podOf([web]), given({}, { trustBundle: { kind: 'not-served' } }))).toEqual({
      kind: 'allow',
      warnings: ['no trust bundle is mounted: the cluster serves no ClusterTrustBundles'],
    });
  });

  it('is waited for where it is not there yet, and that is said', () => {
    const absent = { trustBundle: { kind: 'absent' } } as const;
    expect(decided(podOf([web]), given({}, absent))).toMatchObject({
      kind: 'patch',
      warnings: [
        `the trust bundle ${trustBundle.name} is not there yet: the pod starts when it is`,
      ],
    });
    expect(decided(podOf([web]), given({ optional: true }, absent)).warnings).toBeUndefined();
  });

  it('is not mounted where the document names none', () => {
    expect(
      decided(podOf([web]), {
        document: { availableFeatures: [bundle], clusterTrustBundle: null },
      }),
    ).toEqual({ kind: 'allow' });
  });
});

describe('the hash of the trust bundle', () => {
  const present = (hash: string) => given({}, { trustBundle: { kind: 'present', hash } });
  const marks = (pod: JsonObject) => at(pod, 'metadata', 'annotations');

  it('is stamped, and stamped anew when the bundle has changed', () => {
    const once = stored(podOf([web]), present('aa'));
    expect(marks(once)).toMatchObject({ [bundleHash]: 'aa', [modified]: 'true' });
    expect(decided(once, present('aa'))).toEqual({ kind: 'allow' });
    expect(marks(stored(once, present('bb')))).toMatchObject({ [bundleHash]: 'bb' });
  });

  it('is left as it is where nobody knows it', () => {
    const once = stored(podOf([web]), present('aa'));
    expect(decided(once, given())).toEqual({ kind: 'allow' });
  });

  it('is not stamped on a pod that does not have the bundle', () => {
    const own = podOf([{ ...web, volumeMounts: [{ name: 'own', mountPath: '/etc/ssl/certs' }] }]);
    const after = stored(own, { trustBundle: { kind: 'present', hash: 'aa' } });
    expect(marks(after)).toMatchObject({ [modified]: 'true' });
    expect(marks(after)).not.toHaveProperty([bundleHash]);
  });
});

describe('the environment that names the trust bundle', () => {
  const inEnvironment = given({
    mode: 'environment',
    variables: ['SSL_CERT_FILE', 'CURL_CA_BUNDLE'],
  });
  const file = '/etc/trust-bundle/kube-apiserver-serving.pem';

  it('goes with a mount of its own', () => {
    const pod = stored(podOf([web], { initContainers: [init] }), inEnvironment);
    const expected = [
      { name: 'SSL_CERT_FILE', value: file },
      { name: 'CURL_CA_BUNDLE', value: file },
    ];
    expect(at(pod, 'spec', 'containers', 0, 'env')).toEqual(expected);
    expect(at(pod, 'spec', 'initContainers', 0, 'env')).toEqual(expected);
    expect(mountsOf(pod)).toEqual([{ ...mount, mountPath: '/etc/trust-bundle' }]);
    expect(decided(pod, inEnvironment)).toEqual({ kind: 'allow' });
  });

  it('goes with the mount of upstream, where both are wanted', () => {
    const pod = stored(
      podOf([web]),
      given({ mode: 'mountAndEnvironment', variables: ['SSL_CERT_FILE'] }),
    );
    expect(at(pod, 'spec', 'containers', 0, 'env')).toEqual([
      { name: 'SSL_CERT_FILE', value: '/etc/ssl/certs/kube-apiserver-serving.pem' },
    ]);
    expect(mountsOf(pod)).toEqual([mount]);
  });

  it("keeps a container's own word, and says so", () => {
    const env = [{ name: 'SSL_CERT_FILE', value: '/mine.pem' }];
    const pod = podOf([{ ...web, env }]);
    expect(at(stored(pod, inEnvironment), 'spec', 'containers', 0, 'env')).toEqual([
      ...env,
      { name: 'CURL_CA_BUNDLE', value: file },
    ]);
    expect(decided(pod, inEnvironment).warnings).toEqual([
      'container web keeps its own SSL_CERT_FILE: it may not trust the bundle',
    ]);
  });

  it('is not set where the bundle is not mounted', () => {
    const own = [{ name: 'own', mountPath: '/etc/trust-bundle' }];
    expect(decided(podOf([{ ...web, volumeMounts: own }]), inEnvironment).kind).toBe('allow');
  });
});
