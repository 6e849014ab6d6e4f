import { expect, it } from 'vitest';
import { type KindOf, pods, volumeClaims } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import { isOver, isReady } from '#infra/emulator/controllers/shapes/pod.ts';
import { configMaps, events, nodes } from '#shared/domain/kind.ts';
import { found, type Kit } from '../kit.ts';
import { onSsd, podSpec } from '../stated.ts';

const main = 'spec.containers{app}';

/** The scheduler and the kubelet. */
export function placingCases(kit: Kit): void {
  const { make, fresh, seen, faults, cluster } = kit;

  it('keep pods from nodes that they do not stand, and say why a pod fits nowhere', async () => {
    const namespace = await fresh();
    const tolerations = [{ key: 'only', operator: 'Equal', value: 'few', effect: 'NoSchedule' }];
    const hostname = (name: string) => ({ 'kubernetes.io/hostname': name });
    await make(pods, namespace, 'stands', {
      spec: { ...podSpec('a'), tolerations, nodeSelector: hostname('picky') },
    });
    await make(pods, namespace, 'flees', {
      spec: { ...podSpec('a'), nodeSelector: hostname('picky') },
    });
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: onSsd };
    await make(pods, namespace, 'fast', { spec: { ...podSpec('a'), affinity: { nodeAffinity } } });

    const [stands, fast] = [
      await seen(pods, namespace, 'stands', isReady),
      await seen(pods, namespace, 'fast', isReady),
    ];
    expect([stands.spec.nodeName, fast.spec.nodeName]).toEqual(['picky', 'plain-2']);
    const flees = await seen(pods, namespace, 'flees', ({ status }) => {
      return status?.conditions?.some(({ reason }) => reason === 'Unschedulable') ?? false;
    });
    expect(flees.status?.conditions?.[0]?.message).toBe(
      "0/3 nodes are available: 1 node(s) had untolerated taint {only: few}, 2 node(s) didn't match Pod's node affinity/selector.",
    );
  });

  it('tell by events what becomes of a pod', async () => {
    const namespace = await fresh();
    await make(pods, namespace, 'app', { spec: podSpec('a:1') });
    await seen(pods, namespace, 'app', isReady);
    const told = () => eventsOf(kit, namespace, 'app');
    const begun = await found(async () => ((await told()).length === 4 ? told() : undefined));
    expect(begun).toEqual([
      ['Scheduled', expect.stringMatching(`^Successfully assigned ${namespace}/app to `), ''],
      [
        'Pulled',
        'Container image "a:1" already present on machine and can be accessed by the pod',
        main,
      ],
      ['Created', 'Container created', main],
      ['Started', 'Container started', main],
    ]);
    await cluster.delete({ kind: pods, namespace, name: 'app' });
    const last = await found(async () => (await told())[4]);
    expect(last).toEqual(['Killing', 'Stopping container app', main]);
  });

  it('place no pod before its claim is there', async () => {
    const namespace = await fresh();
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    await make(pods, namespace, 'app', { spec: { ...podSpec('a'), volumes } });
    const { status } = await seen(pods, namespace, 'app', ({ status }) => {
      return status?.conditions?.some(({ reason }) => reason === 'Unschedulable') ?? false;
    });
    expect(status?.conditions?.[0]?.message).toBe(
      '0/3 nodes are available: persistentvolumeclaim "data" not found.',
    );
    await make(volumeClaims, namespace, 'data', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await seen(pods, namespace, 'app', isReady);
  });

  it('end a pod whose time is over', async () => {
    const namespace = await fresh();
    await make(pods, namespace, 'app', { spec: { ...podSpec('a'), activeDeadlineSeconds: 1 } });
    const { status } = await seen(pods, namespace, 'app', isOver);
    expect(status).toMatchObject({
      ...{ phase: 'Failed', reason: 'DeadlineExceeded' },
      message: 'Pod was active on the node longer than the specified deadline',
      containerStatuses: [{ ready: false, state: { terminated: { exitCode: 143 } } }],
    });
  });

  it('show a pull that fails, and go on when it no longer does', async () => {
    const namespace = await fresh();
    faults.fail({ kind: 'pull', image: 'broken*' });
    await make(pods, namespace, 'app', { spec: podSpec('broken:1') });
    await seen(pods, namespace, 'app', ({ status }) => {
      return status?.containerStatuses?.[0]?.state.waiting?.reason === 'ImagePullBackOff';
    });
    faults.heal('broken*');
    await seen(pods, namespace, 'app', isReady);
  });

  it('leave a pod waiting for a ConfigMap, and start it when there is one', async () => {
    const namespace = await fresh();
    const volumes = [{ name: 'settings', configMap: { name: 'settings' } }];
    await make(pods, namespace, 'app', { spec: { ...podSpec('a'), volumes } });
    await seen(pods, namespace, 'app', ({ status }) => {
      return status?.containerStatuses?.[0]?.state.waiting?.reason === 'ContainerCreating';
    });
    await make(configMaps, namespace, 'settings', {});
    await seen(pods, namespace, 'app', isReady);
  });

  it('keep their nodes ready', async () => {
    const found = await cluster.find({ kind: nodes, name: 'plain-1' });
    expect(found?.['status']).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      ]),
    });
  });
}

const olderEvents: KindOf<Event> = { ...events, group: '', version: 'v1' };

type Event = Thing & {
  readonly involvedObject: { readonly name: string; readonly fieldPath?: string };
  readonly reason: string;
  readonly message: string;
};

async function eventsOf({ all }: Kit, namespace: string, name: string) {
  const told = await all<Event>(olderEvents, namespace);
  return told
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message, involvedObject: { fieldPath = '' } }) => [reason, message, fieldPath]);
}
