import { describe, expect, it } from 'vitest';
import { advancePod, type PodFacts } from '#infra/emulator/controllers/kubelet/advance-pod.ts';
import { openFaults } from '#infra/emulator/controllers/kubelet/faults.ts';
import type { ImageFact } from '#infra/emulator/controllers/kubelet/image.ts';
import { note, openLives } from '#infra/emulator/controllers/kubelet/lives.ts';
import { leftOfGrace } from '#infra/emulator/controllers/kubelet/terminate.ts';
import type { Container, Pod, PodSpec } from '#infra/emulator/controllers/shapes/pod.ts';
import { metaOf, pod } from './making.ts';

const start = Date.parse('2030-01-01T00:00:00Z');
const pulled: ImageFact = {
  kind: 'pulled',
  image: 'docker.io/library/app:1',
  imageID: 'docker.io/library/app@sha256:1',
};

type Life = {
  readonly faults?: ReturnType<typeof openFaults>;
  readonly image?: ImageFact;
  readonly isMissing?: boolean;
  readonly misfit?: string;
};

/** A pod as it is after so many milliseconds, looked at each time that it asks for. */
function lived(first: Pod, ms: number, life: Life = {}) {
  const own = openLives().of(first, start);
  let [current, events] = [first, 0];
  for (let now = start; now <= start + ms; ) {
    const next = advancePod(current, factsAt(now, own.marks, life));
    note(own, { before: current.status, after: next.status, now });
    events += next.events.length;
    current = { ...current, status: next.status };
    now += Math.max(1, next.waitMs ?? ms + 1);
  }
  return { status: current.status, events };
}

function factsAt(now: number, marks: ReadonlyMap<string, number>, life: Life): PodFacts {
  return {
    ...{ now, seenAt: start, createMs: 20, jobMs: 50, backoffMs: 100 },
    ...{ hostIP: '192.168.10.1', podIP: '10.244.0.1' },
    isMissing: life.isMissing ?? false,
    since: (container) => marks.get(container),
    imageOf: () => life.image ?? pulled,
    misfitOf: () => life.misfit,
    idOf: (container, count) => `${container}/${count}`,
    faults: life.faults ?? openFaults(),
  };
}

const two: Partial<PodSpec> = {
  initContainers: [
    { name: 'first', image: 'first' },
    { name: 'second', image: 'second' },
  ],
};
const sidecar: Container = { name: 'side', image: 'side', restartPolicy: 'Always' };
const ofJob = {
  ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true }],
};
const once = { metadata: ofJob, spec: { restartPolicy: 'Never' as const } };

function reasons(of: ReturnType<typeof lived>) {
  return of.status?.containerStatuses?.map(({ state }) => {
    return state.waiting?.reason ?? state.terminated?.reason ?? Object.keys(state)[0];
  });
}

describe('a pod', () => {
  it.each<[string, Pod, number, Life, string, string]>([
    ['is being created at first', pod('p'), 10, {}, 'Pending', 'ContainerCreating'],
    ['runs after that', pod('p'), 30, {}, 'Running', 'running'],
    [
      'stays as it is while a volume is missing',
      pod('p'),
      500,
      { isMissing: true },
      'Pending',
      'ContainerCreating',
    ],
    [
      'waits for its image',
      pod('p'),
      500,
      { image: { kind: 'pulling' } },
      'Pending',
      'ContainerCreating',
    ],
    [
      'shows that a pull was tried again',
      pod('p'),
      500,
      { image: { kind: 'failed', reason: 'ErrImagePull', why: 'gone' } },
      'Pending',
      'ImagePullBackOff',
    ],
    [
      'shows a name that is none',
      pod('p'),
      500,
      { image: { kind: 'failed', reason: 'InvalidImageName', why: 'bad' } },
      'Pending',
      'InvalidImageName',
    ],
    [
      'shows that it cannot be configured',
      pod('p'),
      500,
      { misfit: 'secret "s" not found' },
      'Pending',
      'CreateContainerConfigError',
    ],
    ['of a job runs for a while', pod('p', once), 40, {}, 'Running', 'running'],
    ['of a job succeeds then', pod('p', once), 500, {}, 'Succeeded', 'Completed'],
    [
      'ends when its annotation says',
      pod('p', {
        metadata: { annotations: { 'emulator.gatehouse.dev/run-for': '200ms' } },
        spec: { restartPolicy: 'Never' },
      }),
      300,
      {},
      'Succeeded',
      'Completed',
    ],
    [
      'runs on without one',
      pod('p', { spec: { restartPolicy: 'Never' } }),
      60_000,
      {},
      'Running',
      'running',
    ],
    [
      'waits for its init containers',
      pod('p', { spec: two }),
      19,
      {},
      'Pending',
      'PodInitializing',
    ],
    ['runs when they are through', pod('p', { spec: two }), 100, {}, 'Running', 'running'],
    [
      'runs beside a sidecar',
      pod('p', { spec: { initContainers: [sidecar] } }),
      100,
      {},
      'Running',
      'running',
    ],
    [
      'of a job succeeds although its sidecar would run on',
      pod('p', { ...once, spec: { ...once.spec, initContainers: [sidecar] } }),
      500,
      {},
      'Succeeded',
      'Completed',
    ],
  ])('%s', (_, first, ms, life, phase, reason) => {
    const seen = lived(first, ms, life);
    expect([seen.status?.phase, reasons(seen)]).toEqual([phase, [reason]]);
  });

  const failing = (exitCode: number) => {
    const faults = openFaults();
    faults.fail({ kind: 'exit', image: 'app:*', exitCode });
    return { faults };
  };

  it('fails with the exit code that it is told', () => {
    const { status } = lived(pod('p', once), 500, failing(3));
    expect(status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 3, reason: 'Error' } } }],
    });
  });

  it('is told to be pulled where a pull of it has failed before', () => {
    const image: ImageFact = { kind: 'failed', reason: 'ErrImagePull', why: 'gone' };
    const before = lived(pod('p'), 100, { image }).status;
    expect(before?.containerStatuses?.[0]?.state.waiting?.reason).toMatch(/ErrImagePull|BackOff/);
    const mended = advancePod(
      { ...pod('p'), ...(before && { status: before }) },
      factsAt(start + 200, new Map(), {}),
    );
    expect(mended.events.map(({ note }) => note)).toContain('Successfully pulled image "app:1"');
  });

  it('falls back into a crash loop, ever more slowly', () => {
    const { status } = lived(pod('p'), 1_000, failing(1));
    const [container] = status?.containerStatuses ?? [];
    // 20 ms, then after 100, 200 and 400 ms more.
    expect(container).toMatchObject({
      restartCount: 3,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1 } },
    });
    expect(status?.phase).toBe('Running');
  });

  it('is over when an init container fails and nothing is restarted', () => {
    const faults = openFaults();
    faults.fail({ kind: 'exit', image: 'first', exitCode: 1 });
    const { status } = lived(pod('p', { spec: { ...two, restartPolicy: 'Never' } }), 500, {
      faults,
    });
    expect(status?.phase).toBe('Failed');
  });

  it('runs without being ready, where it is told so', () => {
    const faults = openFaults();
    faults.fail({ kind: 'unready', image: 'app:1' });
    const { status } = lived(pod('p'), 100, { faults });
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'ContainersNotReady' });
  });

  it('tells of a failure once, however often it is looked at', () => {
    const misfit = { misfit: 'configmap "c" not found' };
    const { status, events } = lived(pod('p'), 100, misfit);
    const again = lived({ ...pod('p'), ...(status && { status }) }, 100, misfit);
    expect([events, again.events]).toEqual([1, 0]);
  });

  it('leaves a container ended that nothing restarts, while another one runs', () => {
    const env = [{ name: 'EMULATOR_RUN_FOR', value: '10ms' }];
    const containers = [
      { name: 'brief', image: 'brief', env },
      { name: 'app', image: 'app:1' },
    ];
    const seen = lived(pod('p', { spec: { containers, restartPolicy: 'Never' } }), 500);
    expect([seen.status?.phase, reasons(seen)]).toEqual(['Running', ['Completed', 'running']]);
  });

  it('shows a debug container beside the others', () => {
    const debug = { name: 'debug', image: 'debug' };
    const { status } = lived(pod('p', { spec: { ephemeralContainers: [debug] } }), 100);
    expect(status?.ephemeralContainerStatuses).toMatchObject([
      { name: 'debug', state: { running: {} } },
    ]);
  });

  it('is what another kubelet has left it', () => {
    const { status } = lived(pod('p'), 100);
    const kept = { ...pod('p'), ...(status && { status }) };
    expect(lived(kept, 100).status).toEqual(status);
  });
});

describe('the grace of a pod that goes', () => {
  it.each([
    [30, 50, 0, 50],
    [30, 50, 20, 30],
    [0, 50, 0, 0],
    [1, 5_000, 0, 1_000],
  ])('%i s, cut to %i ms, after %i ms is %i ms', (granted, graceMs, elapsedMs, left) => {
    const leaving = { ...pod('p'), metadata: metaOf('p', { deletionGracePeriodSeconds: granted }) };
    expect(leftOfGrace(leaving, { graceMs, elapsedMs })).toBe(left);
  });
});

describe('a pod that runs', () => {
  const running = (more: object = {}) => {
    const { status } = lived(pod('p'), 100);
    const containers = [{ name: 'app', image: 'app:1', ...more }];
    return { ...pod('p', { spec: { containers } }), ...(status && { status }) };
  };

  it('has at once what a resize gives it', () => {
    const resources = { requests: { cpu: '2' } };
    const { status } = lived(running({ resources }), 100);
    expect(status?.containerStatuses).toMatchObject([
      { restartCount: 0, allocatedResources: { cpu: '2' } },
    ]);
  });

  it('is started anew with another image', () => {
    const image: ImageFact = {
      kind: 'pulled',
      image: 'docker.io/library/app:2',
      imageID: 'docker.io/library/app@sha256:2',
    };
    const { status } = lived(running({ image: 'app:2' }), 100, { image });
    expect(status?.containerStatuses).toMatchObject([
      { restartCount: 1, image: image.image, imageID: image.imageID, state: { running: {} } },
    ]);
  });
});
