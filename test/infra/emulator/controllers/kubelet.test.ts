import { describe, expect, it } from 'vitest';
import { openAddresses } from '#infra/emulator/controllers/kubelet/addresses.ts';
import { isLike, openFaults } from '#infra/emulator/controllers/kubelet/faults.ts';
import { madeUpDigest, pull } from '#infra/emulator/controllers/kubelet/image.ts';
import {
  missingConfig,
  missingLogin,
  missingVolume,
  type Present,
} from '#infra/emulator/controllers/kubelet/missing.ts';
import type { PodSpec, Volume } from '#infra/emulator/controllers/shapes/pod.ts';
import { pod } from './making.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('pull', () => {
  const show = async () => [];

  it.each([
    ['asks the registry', 'app:1', `docker.io/library/app@${digest}`],
    [
      'believes a reference that is pinned',
      `one.example/app@sha256:${'b'.repeat(64)}`,
      `one.example/app@sha256:${'b'.repeat(64)}`,
    ],
  ])('%s', async (_, reference, imageID) => {
    const resolveImage = async () => ({ kind: 'digest', digest }) as const;
    expect(await pull(reference, { resolveImage, show })).toMatchObject({
      kind: 'pulled',
      imageID,
    });
  });

  it('makes up the same digest each time where there is no registry', async () => {
    const asked = { resolveImage: undefined, show };
    const one = await pull('app:1', asked);
    expect(await pull('app:1', asked)).toEqual(one);
    expect(one).toMatchObject({
      image: 'docker.io/library/app:1',
      imageID: `docker.io/library/app@${madeUpDigest('app:1')}`,
    });
  });

  it.each([
    ['App', { kind: 'failed', reason: 'InvalidImageName' }],
    ['app:1', { kind: 'failed', reason: 'ErrImagePull', why: 'no such image' }],
    [`app@${digest}`, { kind: 'failed', reason: 'ErrImagePull', why: 'no such image' }],
  ])('refuses %s', async (reference, expected) => {
    const resolveImage = async () => ({ kind: 'failed', why: 'no such image' }) as const;
    expect(await pull(reference, { resolveImage, show })).toMatchObject(expected);
  });
});

describe('missing', () => {
  const nothing: Present = {
    configMap: () => false,
    secret: () => false,
    trustBundle: () => false,
  };
  const volume = (source: Omit<Volume, 'name'>): Partial<PodSpec> => ({
    volumes: [{ name: 'v', ...source }],
  });
  const mount = (why: string) => ({
    reason: 'FailedMount',
    note: `MountVolume.SetUp failed for volume "v" : ${why}`,
  });

  it.each<[string, Partial<PodSpec>, object | undefined]>([
    ['a ConfigMap', volume({ configMap: { name: 'c' } }), mount('configmap "c" not found')],
    ['a Secret', volume({ secret: { secretName: 's' } }), mount('secret "s" not found')],
    [
      'a part of a projection',
      volume({ projected: { sources: [{ secret: { name: 's' } }] } }),
      mount('secret "s" not found'),
    ],
    [
      'a trust bundle',
      volume({ projected: { sources: [{ clusterTrustBundle: { name: 'b' } }] } }),
      mount('clustertrustbundle "b" not found'),
    ],
    [
      'bundles of a signer',
      volume({ projected: { sources: [{ clusterTrustBundle: { signerName: 'x/y' } }] } }),
      mount('no ClusterTrustBundle of signer "x/y" matches'),
    ],
    ['nothing that is optional', volume({ configMap: { name: 'c', optional: true } }), undefined],
    ['nothing of a token', volume({ projected: { sources: [{}] } }), undefined],
  ])('finds %s', (_, spec, expected) => {
    const found = missingVolume(pod('p', { spec }), nothing);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  it('tells of a pull secret, and lets the pod be pulled for', () => {
    const own = pod('p', { spec: { imagePullSecrets: [{ name: 's' }] } });
    expect(missingLogin(own, nothing)?.reason).toBe('FailedToRetrieveImagePullSecret');
    expect(missingVolume(own, nothing)).toBeUndefined();
  });

  it('names what a container is configured by', () => {
    const envFrom = [{ configMapRef: { name: 'c' } }];
    expect(missingConfig({ name: 'app', image: 'a', envFrom }, nothing)).toBe(
      'configmap "c" not found',
    );
    expect(missingConfig({ name: 'app', image: 'a' }, nothing)).toBeUndefined();
  });
});

describe('faults', () => {
  it.each([
    ['broken:1', 'broken*', true],
    ['one.example/broken:1', 'broken*', false],
    ['one.example/a:1', '*/a:*', true],
    ['aXb', 'a.b', false],
  ])('%s is like %s: %s', (image, pattern, expected) => {
    expect(isLike(image, pattern)).toBe(expected);
  });

  it('are over one by one, or all at once', () => {
    const faults = openFaults();
    for (const image of ['a', 'b', 'c']) faults.fail({ kind: 'pull', image });
    faults.heal('a');
    expect(['a', 'b'].map((image) => faults.find('pull', image) !== undefined)).toEqual([
      false,
      true,
    ]);
    faults.heal();
    expect(faults.find('pull', 'b')).toBeUndefined();
  });
});

describe('addresses', () => {
  it("stay a pod's own, and are given to nobody else", () => {
    const addresses = openAddresses();
    addresses.reserve('old', '10.244.0.2');
    expect(['a', 'b', 'a'].map((uid) => addresses.of(uid, undefined))).toEqual([
      '10.244.0.1',
      '10.244.0.3',
      '10.244.0.1',
    ]);
  });
});
