import { describe, expect, it } from 'vitest';
import followNamespace from '#functions/image-trust/follow-namespace.ts';
import recheckPod from '#functions/image-trust/recheck-pod.ts';
import { emulate } from '#infra/emulator/world/emulate.ts';
import type { Stated } from '#infra/emulator/world/manifest.ts';
import type { World } from '#infra/emulator/world/world.ts';
import { good, judgeStated } from '#test/support/image-trust/judge-stated.ts';

const prefix = 'namespaces.warden.kyma-project.io';
const status = 'pods.warden.kyma-project.io/validate';
const url = { 'notary-url': 'https://notary.team.example' };

function namespaceOf(mode: string | undefined, own: Readonly<Record<string, string>> = {}) {
  const annotations = Object.fromEntries(
    Object.entries(own).map(([key, value]) => [`${prefix}/${key}`, value]),
  );
  const labels = mode === undefined ? {} : { [`${prefix}/validate`]: mode };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a', labels, annotations } };
}

const podIn = (namespace: string, name: string, label?: string, phase = 'Running') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: label === undefined ? {} : { [status]: label } },
  spec: { containers: [{ name: 'web', image: `a.io/web:1@${good}` }] },
  status: { phase },
});

async function statuses(world: World) {
  const pods = await world.find('Pod');
  return Object.fromEntries(pods.map(({ metadata }) => [metadata.name, metadata.labels?.[status]]));
}

const open = (...objects: Stated[]) => emulate({ functions: [followNamespace], objects });

/** What becomes of a verified pod when its namespace goes from one state to another. */
async function statusAfter(
  before: ReturnType<typeof namespaceOf>,
  next: ReturnType<typeof namespaceOf>,
  phase = 'Running',
): Promise<string | undefined> {
  await using world = await open(before, podIn('team-a', 'web'));
  await world.settle();
  await world.apply(podIn('team-a', 'web', 'success', phase));
  await world.settle();
  await world.apply(next);
  await world.settle();
  return (await statuses(world))['web'];
}

describe('follow-namespace', () => {
  it('T-N1 makes what is there pending, and nothing of another namespace', async () => {
    const objects = [
      podIn('team-a', 'unlabelled'),
      podIn('team-a', 'verified', 'success'),
      podIn('team-a', 'ended', 'success', 'Succeeded'),
      podIn('default', 'other', 'success'),
    ];
    await using world = await open(namespaceOf('user', url), ...objects);
    await world.settle();
    await world.apply(namespaceOf('system'));
    await world.settle();
    expect(await statuses(world)).toEqual({
      unlabelled: 'pending',
      verified: 'pending',
      ended: 'success',
      other: undefined,
    });
  });

  it.each<[string, ReturnType<typeof namespaceOf>, ReturnType<typeof namespaceOf>]>([
    ['is labelled', namespaceOf(undefined), namespaceOf('system')],
    ['is labelled with the old word', namespaceOf('else'), namespaceOf('enabled')],
    ['becomes a user’s', namespaceOf('system', url), namespaceOf('user', url)],
    ['becomes the platform’s', namespaceOf('user', url), namespaceOf('system', url)],
    [
      'names another Notary',
      namespaceOf('user', url),
      namespaceOf('user', { 'notary-url': 'https://b.example' }),
    ],
    ['names its Notary at last', namespaceOf('user'), namespaceOf('user', url)],
    [
      'allows more',
      namespaceOf('user', url),
      namespaceOf('user', { ...url, 'allowed-registries': 'a.io' }),
    ],
    [
      'has more patience',
      namespaceOf('user', url),
      namespaceOf('user', { ...url, 'notary-timeout': '5s' }),
    ],
    [
      'is less strict',
      namespaceOf('user', { ...url, 'strict-mode': 'true' }),
      namespaceOf('user', { ...url, 'strict-mode': 'false' }),
    ],
  ])('T-N2 has pods looked at again where it %s', async (_, before, next) => {
    expect(await statusAfter(before, next)).toBe('pending');
  });

  it.each<[string, ReturnType<typeof namespaceOf>, ReturnType<typeof namespaceOf>]>([
    ['says what only users say', namespaceOf('system'), namespaceOf('system', url)],
    [
      'changes something else',
      namespaceOf('user', url),
      {
        ...namespaceOf('user', url),
        metadata: {
          ...namespaceOf('user', url).metadata,
          annotations: { ...namespaceOf('user', url).metadata.annotations, other: 'x' },
        },
      },
    ],
  ])('T-N2 leaves pods alone where it %s', async (_, before, next) => {
    expect(await statusAfter(before, next)).toBe('success');
  });

  it.each([
    ['system', 'Running'],
    ['user', 'Running'],
    ['system', 'Succeeded'],
    ['system', 'Failed'],
  ])('takes the marks off where it leaves: %s, of a pod that is %s', async (mode, phase) => {
    const [before, next] = [namespaceOf(mode, url), namespaceOf(undefined)];
    expect(await statusAfter(before, next, phase)).toBeUndefined();
  });

  it.each(['system', 'user'])(
    'makes pods pending that were heard of before it was: %s',
    async (mode) => {
      await using world = await open(podIn('default', 'other'));
      await world.settle();
      await world.staleMirror('Namespace', 2_000);
      await world.apply([namespaceOf(mode, url), podIn('team-a', 'web')]);
      await world.settle();
      expect(await statuses(world)).toEqual({ other: undefined, web: 'pending' });
    },
  );

  it('tells what is wrong with its annotations on the namespace itself', async () => {
    await using world = await open(namespaceOf('user', { 'strict-mode': 'yes' }));
    await world.settle();
    const events = await world.find('Event');
    expect(events).toMatchObject([
      {
        reason: 'ImageTrustBroken',
        type: 'Warning',
        regarding: { kind: 'Namespace', name: 'team-a' },
        note: `no pod is admitted: ${prefix}/notary-url: notary URL is not set; ${prefix}/strict-mode: "yes" is neither true nor false`,
      },
    ]);
  });

  it('ends, with recheck-pod, at what is true: labelled, left and labelled again', async () => {
    const judge = judgeStated({ 'a.io/web:1': good });
    await using world = await emulate({
      functions: [followNamespace, recheckPod],
      images: judge,
      objects: [namespaceOf(undefined), podIn('team-a', 'web'), podIn('team-a', 'bad')],
    });
    await world.settle();
    expect(await statuses(world)).toEqual({});
    await world.apply(namespaceOf('system'));
    await world.settle();
    expect(await statuses(world)).toEqual({ web: 'success', bad: 'success' });
    judge.sign('a.io/web:1', undefined);
    await world.apply(namespaceOf('user', url));
    await world.settle();
    expect(await statuses(world)).toEqual({ web: 'failed', bad: 'failed' });
    await world.apply(namespaceOf(undefined));
    await world.settle();
    expect(await statuses(world)).toEqual({});
    expect(await world.buried()).toEqual([]);
  });
});
