import { describe, expect, it } from 'vitest';
import recheckPod from '#functions/image-trust/recheck-pod.ts';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import { emulate } from '#infra/emulator/world/emulate.ts';
import type { World } from '#infra/emulator/world/world.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import {
  child,
  evil,
  good,
  type JudgeStated,
  judgeStated,
  trusted,
} from '#test/support/image-trust/judge-stated.ts';
import { stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';

const mode = 'namespaces.warden.kyma-project.io/validate';
const status = 'pods.warden.kyma-project.io/validate';
const invalid = 'pods.warden.kyma-project.io/invalid-images';
const rejected = 'pods.warden.kyma-project.io/validate-reject';

const namespaceOf = (value: string | undefined, annotations: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team-a', labels: value === undefined ? {} : { [mode]: value }, annotations },
});

type Stated = {
  readonly label?: string;
  readonly image?: string;
  /** As the kubelet says it. */
  readonly runs?: string | undefined;
  readonly metadata?: JsonObject;
  readonly phase?: string;
};

function podOf({ label, image = `a.io/web:1@${good}`, runs, metadata, phase = 'Running' }: Stated) {
  const labels = label === undefined ? {} : { [status]: label };
  const statuses = runs === undefined ? [] : [{ name: 'web', imageID: runs }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'team-a', labels, ...metadata },
    spec: { containers: [{ name: 'web', image }] },
    status: { phase, containerStatuses: statuses },
  };
}

const signed = () => judgeStated({ 'a.io/web:1': good });

type Around = {
  readonly judge?: JudgeStated;
  readonly namespace?: ReturnType<typeof namespaceOf>;
  readonly config?: Partly<Settings>;
};

const open = ({ judge = signed(), namespace = namespaceOf('system'), config = {} }: Around = {}) =>
  emulate({ functions: [recheckPod], images: judge, objects: [namespace], config });

async function statusIn(world: World): Promise<string | undefined> {
  const pod = await world.find('Pod team-a/web');
  return pod?.metadata.labels?.[status];
}

async function eventsIn(world: World) {
  const told = (await world.find('Event')).map(({ reason, note, regarding }) => {
    const { kind, name } = regarding as JsonObject;
    return { reason, note, about: `${kind} ${name}` };
  });
  return told.toSorted((one, other) => one.about.localeCompare(other.about, 'en'));
}

/** As they were written by us. */
const marks = ({ labels = {}, annotations = {} }: KubeObject['metadata']) => ({
  labels,
  annotations,
});

const writes = (world: World) =>
  world.decisions().flatMap((each) => (each.kind === 'run' ? each.writes : []));

/** A pod alone in the world, settled. */
async function checked(pod: Stated, around: Around = {}) {
  await using world = await open(around);
  await world.apply(podOf(pod));
  await world.settle();
  const found = await world.find('Pod team-a/web');
  return {
    status: await statusIn(world),
    invalid: found?.metadata.annotations?.[invalid],
    events: await eventsIn(world),
    buried: await world.buried(),
  };
}

describe('recheck-pod', () => {
  it.each<[string, Stated, string]>([
    ['T-C1 nothing at all', {}, 'success'],
    ['T-C1 pending', { label: 'pending' }, 'success'],
    ['failed', { label: 'failed' }, 'success'],
    ['another word', { label: 'some-unknown-label' }, 'success'],
    ['success, and is not signed', { label: 'success', image: 'a.io/none:1' }, 'failed'],
    ['T-C1 pending, and is not signed', { label: 'pending', image: 'a.io/none:1' }, 'failed'],
    ['success, of another digest', { label: 'success', image: `a.io/web:1@${evil}` }, 'failed'],
  ])('says of a pod what is true, whatever stood there: %s', async (_, pod, expected) => {
    expect(await checked(pod)).toMatchObject({ status: expected, buried: [] });
  });

  it.each<[string, string | undefined, string]>([
    ['the signed digest', `a.io/web@${good}`, 'success'],
    ['it from a mirror, by Docker', `docker-pullable://mirror.io/x@${good}`, 'success'],
    ['an image of the signed list', `a.io/web@${child}`, 'success'],
    ['something else', `a.io/web@${evil}`, 'failed'],
    ['nobody knows what: without a registry', evil, 'success'],
    ['nobody knows what: nothing yet', undefined, 'success'],
    ['nobody knows what: an empty text', '', 'success'],
  ])('looks at what really runs: %s', async (_, runs, expected) => {
    const judge = signed();
    const list = trusted('a.io/web:1', good, { children: [child] });
    judge.judge = async (images) => images.map((image) => ({ image, judgement: list }));
    expect(await checked({ runs }, { judge })).toMatchObject({ status: expected });
  });

  it('tells what runs instead, on the pod and on what made it', async () => {
    await using world = await open();
    const of = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
    const made = await world.apply({ ...of, metadata: { name: 'web-1', namespace: 'team-a' } });
    const owner = { ...of, name: 'web-1', uid: made.metadata.uid ?? '', controller: true };
    const metadata = { labels: { [status]: 'success' }, ownerReferences: [owner] };
    await world.apply(podOf({ runs: `a.io/web@${evil}`, metadata }));
    await world.settle();

    const note = `web runs ${evil}, which is not what is signed as a.io/web:1@${good}`;
    expect(await eventsIn(world)).toEqual([
      { reason: 'ImagesNotTrusted', about: 'Pod web', note },
      { reason: 'ImagesNotTrusted', about: 'ReplicaSet web-1', note: `pod web: ${note}` },
    ]);
    const pod = await world.find('Pod team-a/web');
    expect(pod?.metadata.annotations?.[invalid]).toBe(`a.io/web:1@${good}`);
  });

  it('notices within its period that an image is revoked, tells it once, and that it is signed again', async () => {
    const judge = signed();
    await using world = await open({ judge });
    await world.apply(podOf({ runs: `a.io/web@${good}` }));
    await world.settle();
    expect(await statusIn(world)).toBe('success');

    judge.sign('a.io/web:1', undefined);
    await world.advance(60 * 60_000);
    expect(await statusIn(world)).toBe('failed');
    await world.advance(3 * 60 * 60_000);
    // An Event that is told again has a series.
    expect((await world.find('Event')).map(({ series }) => series)).toEqual([undefined]);

    judge.sign('a.io/web:1', good);
    await world.advance(60 * 60_000);
    expect(await statusIn(world)).toBe('success');
    const pod = await world.find('Pod team-a/web');
    expect(pod?.metadata.annotations ?? {}).toEqual({});
  });

  it.each<[string, string, number]>([
    ['the same image', 'a.io/none:1', 0],
    ['another image', 'a.io/other:1', 1],
  ])('tells of a pod that failed already for %s', async (_, before, events) => {
    const metadata = { labels: { [status]: 'failed' }, annotations: { [invalid]: before } };
    const found = await checked({ image: 'a.io/none:1', metadata });
    expect(found).toMatchObject({ status: 'failed', invalid: 'a.io/none:1' });
    expect(found.events).toHaveLength(events);
  });

  it('tells of a pod that admission marked: nobody has heard of it yet', async () => {
    const annotations = { [invalid]: 'a.io/none:1', [rejected]: 'reject' };
    const metadata = { labels: { [status]: 'failed' }, annotations };
    const found = await checked({ image: 'a.io/none:1', metadata });
    expect(found).toMatchObject({ status: 'failed', invalid: 'a.io/none:1' });
    expect(found.events).toMatchObject([{ reason: 'ImagesNotTrusted', about: 'Pod web' }]);
  });

  it('marks a pod of more images than are judged, and tells it once', async () => {
    const judge = signed();
    await using world = await open({ judge });
    const containers = Array.from({ length: 501 }, (_, at) => ({
      name: `c${at}`,
      image: `${at}.io/${'a'.repeat(100)}:1`,
    }));
    await world.apply({ ...podOf({}), spec: { containers } });
    await world.settle();
    await world.advance(3 * 60 * 60_000);
    expect(await statusIn(world)).toBe('failed');
    expect(judge.judged).toEqual([]);
    expect((await world.find('Event')).map(({ series }) => series)).toEqual([undefined]);
  });

  it('notices a tag that was moved, of a pod that was pinned before', async () => {
    const judge = signed();
    await using world = await open({ judge });
    await world.apply(podOf({ runs: `a.io/web@${good}` }));
    await world.settle();
    judge.sign('a.io/web:1', evil);
    await world.advance(60 * 60_000);
    expect(await statusIn(world)).toBe('failed');
  });

  it('T-C1 asks again soon where nobody could be asked', async () => {
    const judge = signed();
    judge.away.add('a.io/web:1');
    await using world = await open({ judge });
    await world.apply(podOf({ label: 'success' }));
    await world.settle();
    expect(await statusIn(world)).toBe('pending');
    judge.away.clear();
    await world.advance(120_000);
    expect(await statusIn(world)).toBe('success');
    expect(await eventsIn(world)).toEqual([]);
  });

  it('marks as failed what cannot be read, though reading it throws', async () => {
    const { world: outside, replica } = stage();
    outside.instead.rule = () => {
      throw new TypeError('split');
    };
    const config = { imageTrust: { notary: { URL: notary } } };
    await using world = await emulate({
      ...{ functions: [recheckPod], images: replica(), objects: [namespaceOf('system')], config },
    });
    await world.apply(podOf({ label: 'success' }));
    await world.settle();
    expect(await statusIn(world)).toBe('failed');
    expect(await eventsIn(world)).toMatchObject([{ reason: 'ImagesNotTrusted' }]);
  });

  it('asks again soon where its registry refuses to show it: a pull secret may have come', async () => {
    const judge = signed();
    const shown = judge.judge;
    const refused = { kind: 'untrusted', why: 'registry-refused', note: '' } as const;
    let isShown = false;
    judge.judge = async (images, asked) =>
      isShown ? shown(images, asked) : images.map((image) => ({ image, judgement: refused }));
    await using world = await open({ judge });
    await world.apply(podOf({}));
    await world.settle();
    expect(await statusIn(world)).toBe('failed');
    isShown = true;
    await world.advance(120_000);
    expect(await statusIn(world)).toBe('success');
  });

  it('asks about what is refused for good no more often than about anything else, after a while', async () => {
    const judge = signed();
    const refused = { kind: 'untrusted', why: 'registry-refused', note: '' } as const;
    let asked = 0;
    judge.judge = async (images) => {
      asked += 1;
      return images.map((image) => ({ image, judgement: refused }));
    };
    await using world = await open({ judge });
    await world.apply(podOf({}));
    await world.settle();
    await world.advance(3 * 60 * 60_000);
    const before = asked;
    await world.advance(10 * 60 * 60_000);
    expect(before).toBeGreaterThan(3);
    expect(asked - before).toBeLessThanOrEqual(13);
  });

  it('tells of each other thing that runs in the place of one image', async () => {
    await using world = await open();
    await world.apply(podOf({ runs: `a.io/web@${evil}` }));
    await world.settle();
    const metadata = (await world.find('Pod team-a/web'))?.metadata ?? {};
    for (const runs of [child, child, good]) {
      await world.apply(podOf({ runs: `a.io/web@${runs}`, metadata: marks(metadata) }));
      await world.settle();
    }
    const notes = (await eventsIn(world)).map(({ note }) => note).toSorted();
    const other = (runs: string) =>
      `web runs ${runs}, which is not what is signed as a.io/web:1@${good}`;
    expect(notes).toEqual([other(child), other(evil)]);
  });

  it('looks at once at an image that is changed, and at a status that a stranger wrote', async () => {
    await using world = await open();
    await world.apply(podOf({}));
    await world.settle();
    await world.apply(podOf({ label: 'success', image: 'a.io/none:1' }));
    await world.settle();
    expect(await statusIn(world)).toBe('failed');
    await world.apply(podOf({ label: 'success', image: 'a.io/none:1' }));
    await world.settle();
    expect(await statusIn(world)).toBe('failed');
  });

  const slots = ['initContainers', 'containers', 'ephemeralContainers'] as const;
  const ofSlots = (image: string) =>
    Object.fromEntries(slots.map((slot) => [slot, [{ name: `own-${slot}`, image }]]));

  it.each<[string, Readonly<Record<string, JsonObject>>]>([
    ...slots.map((slot): [string, Readonly<Record<string, JsonObject>>] => [
      `/spec/${slot}`,
      { spec: { [slot]: [{ name: `own-${slot}`, image: 'a.io/none:1' }] } },
    ]),
    ...['initContainer', 'container', 'ephemeralContainer'].map(
      (slot): [string, Readonly<Record<string, JsonObject>>] => [
        `/status/${slot}Statuses`,
        { status: { [`${slot}Statuses`]: [{ name: `own-${slot}s`, imageID: `x@${evil}` }] } },
      ],
    ),
  ])('looks at once when it changes at %s', async (_, { spec, status: says }) => {
    await using world = await open();
    const pod = { ...podOf({}), spec: ofSlots(`a.io/web:1@${good}`) };
    await world.apply(pod);
    await world.settle();
    expect(await statusIn(world)).toBe('success');
    const { metadata = {} } = (await world.find('Pod team-a/web')) ?? {};
    await world.apply({
      ...pod,
      metadata: { ...pod.metadata, ...marks(metadata) },
      spec: { ...pod.spec, ...spec },
      status: { ...pod.status, ...says },
    });
    await world.settle();
    expect(await statusIn(world)).toBe('failed');
  });

  it.each<[string, number]>([
    ['10m', 12],
    ['2h', 1],
    ['0s', 0],
  ])(
    'looks again as often as `operator.podReconcilerRequeueAfter` says: %s',
    async (period, least) => {
      const judge = signed();
      const operator = { podReconcilerRequeueAfter: period };
      await using world = await open({ judge, config: { imageTrust: { operator } } });
      await world.apply(podOf({}));
      await world.settle();
      const before = judge.judged.length;
      await world.advance(2 * 60 * 60_000);
      const looks = judge.judged.length - before;
      // At the most a fifth sooner each.
      expect(looks).toBeGreaterThanOrEqual(least);
      expect(looks).toBeLessThanOrEqual(Math.floor(least / 0.8));
    },
  );

  it('T-C2 asks by the rules of the namespace', async () => {
    const annotations = {
      'namespaces.warden.kyma-project.io/notary-url': 'https://notary.team.example',
    };
    const judge = signed();
    await checked({}, { judge, namespace: namespaceOf('user', annotations) });
    expect(judge.judged[0]?.asked.rules).toMatchObject({
      owner: { namespace: 'team-a' },
      verifiers: [{ url: 'https://notary.team.example' }],
    });
  });

  it('knows nothing where the rules are broken', async () => {
    const judge = signed();
    const namespace = namespaceOf('user');
    const pod = { label: 'success', image: 'a.io/none:1' };
    expect(await checked(pod, { judge, namespace })).toMatchObject({
      status: 'pending',
      events: [],
    });
    expect(judge.judged).toEqual([]);
  });

  it.each<[string, Stated]>([
    ['has succeeded', { phase: 'Succeeded' }],
    ['has failed', { phase: 'Failed' }],
  ])('leaves a pod alone that %s', async (_, pod) => {
    const judge = signed();
    expect(await checked({ ...pod, label: 'pending' }, { judge })).toMatchObject({
      status: 'pending',
    });
    expect(judge.judged).toEqual([]);
  });

  it.each(['Running', 'Succeeded', 'Failed'])(
    'takes its marks off where no image is verified, and asks nobody: %s',
    async (phase) => {
      const judge = signed();
      const annotations = { [invalid]: 'x', own: 'stays' };
      await using world = await open({ judge, namespace: namespaceOf(undefined) });
      await world.apply(
        podOf({ metadata: { labels: { [status]: 'failed' }, annotations }, phase }),
      );
      await world.settle();
      const pod = await world.find('Pod team-a/web');
      expect(pod?.metadata.labels ?? {}).toEqual({});
      expect(pod?.metadata.annotations).toEqual({ own: 'stays' });
      expect(judge.judged).toEqual([]);
    },
  );

  it('writes nothing the second time', async () => {
    await using world = await open();
    await world.apply(podOf({}));
    await world.settle();
    const before = writes(world).length;
    await world.advance(3 * 60 * 60_000);
    expect(before).toBe(1);
    expect(writes(world)).toHaveLength(before);
  });

  it('leaves the next pod of the same name to its own message', async () => {
    await using world = await open();
    const metadata = { name: 'web', namespace: 'team-a' };
    await world.apply(podOf({ image: 'a.io/none:1' }));
    await world.delete('Pod team-a/web');
    await world.apply({ ...podOf({}), metadata });
    await world.settle();
    expect(await statusIn(world)).toBe('success');
  });
});

describe('recheck-pod, of what has to be signed anew soon', () => {
  const soon = () => {
    const judge = signed();
    const stated = trusted('a.io/web:1', good, { remarks: ['expiring'] });
    const judged = async (images: readonly string[]) =>
      images.map((image) => ({ image, judgement: stated }));
    return { ...judge, judge: judged };
  };

  it('tells it in one Event that is counted up, and marks nothing', async () => {
    await using world = await open({ judge: soon() });
    await world.apply(podOf({}));
    await world.settle();
    await world.advance(3 * 60 * 60_000);
    expect(await statusIn(world)).toBe('success');
    expect(await eventsIn(world)).toEqual([
      {
        reason: 'ImagesExpiring',
        note: `what proves them expires soon, and has to be signed anew: a.io/web:1@${good}`,
        about: 'Pod web',
      },
    ]);
  });

  it('says nothing of what lasts', async () => {
    expect(await checked({})).toMatchObject({ events: [] });
  });
});
