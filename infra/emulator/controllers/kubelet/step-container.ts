import { timeText } from '../conditions.ts';
import type { Report } from '../frame/controller.ts';
import type { Container, ContainerStatus, Terminated } from '../shapes/pod.ts';
import type { ImageFact } from './image.ts';
import type { Script } from './script.ts';

export type Restarts = 'always' | 'on-failure' | 'never';

export type Surroundings = {
  readonly now: number;
  /** Since when it is in its state. */
  readonly since: number | undefined;
  readonly image: ImageFact;
  /** Why it cannot be configured. */
  readonly misfit: string | undefined;
  readonly script: Script;
  readonly restarts: Restarts;
  readonly backoffMs: number;
  /** Of the container as it is started for the so-many-th time. */
  idOf(restartCount: number): string;
};

export type Step = {
  readonly status: ContainerStatus;
  /** Until it has to be looked at again; never, where nothing changes by itself. */
  readonly waitMs?: number;
  /** In the order in which they happened. */
  readonly events?: readonly Report[];
};

const mostBackoffMs = 300_000;

/** One container, one state further, if it is time. */
export function stepContainer(
  container: Container,
  before: ContainerStatus | undefined,
  at: Surroundings,
): Step {
  const status = before ?? waiting(container, undefined, 'ContainerCreating');
  const { running } = status.state;
  if (running !== undefined) {
    return whileRunning(container, { ...status, state: { running } }, at);
  }
  if (status.state.terminated !== undefined) return afterEnd(container, status, at);
  if (status.state.waiting?.reason === 'CrashLoopBackOff') {
    const leftMs = backoff(status.restartCount, at) - elapsed(at);
    if (leftMs > 0) return { status, waitMs: leftMs };
    return started(container, status, { at, restartCount: status.restartCount + 1 });
  }
  return toStart(container, status, at);
}

function toStart(container: Container, status: ContainerStatus, at: Surroundings): Step {
  const { image, misfit } = at;
  if (image.kind === 'pulling') return { status };
  if (image.kind === 'failed') return unpulled(container, status, image);
  if (misfit !== undefined) {
    const reason = 'CreateContainerConfigError';
    return {
      status: waiting(container, status, reason, misfit),
      events: [{ type: 'Warning', reason: 'Failed', note: `Error: ${misfit}` }],
    };
  }
  return started(container, status, { at, restartCount: status.restartCount });
}

type Failed = Extract<ImageFact, { readonly kind: 'failed' }>;

/** ErrImagePull is what a pull has just said, ImagePullBackOff that the next one waits. */
function unpulled(container: Container, status: ContainerStatus, { reason, why }: Failed): Step {
  const isKnown = unpulledReasons.includes(status.state.waiting?.reason ?? '');
  if (reason === 'ErrImagePull' && isKnown) {
    const note = `Back-off pulling image "${container.image}"`;
    return {
      status: waiting(container, status, 'ImagePullBackOff', `${note}: ErrImagePull: ${why}`),
      events: [{ type: 'Normal', reason: 'BackOff', note }],
    };
  }
  const note = `Failed to pull image "${container.image}": ${why}`;
  return {
    status: waiting(container, status, reason, why),
    waitMs: 0,
    events: [{ type: 'Warning', reason: 'Failed', note }],
  };
}

function waiting(
  { name, image }: Container,
  before: ContainerStatus | undefined,
  ...[reason, message]: [string, string?]
): ContainerStatus {
  return {
    name,
    image,
    imageID: '',
    restartCount: before?.restartCount ?? 0,
    ready: false,
    started: false,
    state: { waiting: { reason, ...(message !== undefined && { message }) } },
    ...(before?.lastState !== undefined && { lastState: before.lastState }),
  };
}

type Starting = { readonly at: Surroundings; readonly restartCount: number };

function started(
  container: Container,
  before: ContainerStatus,
  { at, restartCount }: Starting,
): Step {
  const { image, script, now } = at;
  const known = image.kind === 'pulled' ? image : { image: before.image, imageID: before.imageID };
  const status: ContainerStatus = {
    name: container.name,
    image: known.image,
    imageID: known.imageID,
    containerID: at.idOf(restartCount),
    restartCount,
    ready: script.isReady,
    started: true,
    state: { running: { startedAt: timeText(now) } },
    ...(before.lastState !== undefined && { lastState: before.lastState }),
    ...granted(container),
  };
  return {
    status,
    ...(script.runMs !== undefined && { waitMs: script.runMs }),
    events: [
      { type: 'Normal', reason: 'Pulled', note: pulledNote(container, before) },
      { type: 'Normal', reason: 'Created', note: 'Container created' },
      { type: 'Normal', reason: 'Started', note: 'Container started' },
    ],
  };
}

const unpulledReasons = ['ErrImagePull', 'ImagePullBackOff'];

/** Nodes here have whatever can be pulled; what could not be a moment ago, they had not. */
function pulledNote({ image, imagePullPolicy }: Container, { state }: ContainerStatus): string {
  const isNew = unpulledReasons.includes(state.waiting?.reason ?? '');
  return isNew || imagePullPolicy === 'Always'
    ? `Successfully pulled image "${image}"`
    : `Container image "${image}" already present on machine and can be accessed by the pod`;
}

type Running = NonNullable<ContainerStatus['state']['running']>;

function whileRunning(
  container: Container,
  status: ContainerStatus & { readonly state: { readonly running: Running } },
  at: Surroundings,
): Step {
  const { runMs, exitCode, isReady } = at.script;
  if (at.image.kind === 'pulled' && at.image.image !== status.image) {
    // Another image in its place: the container is started anew.
    const before = { ...status, lastState: ended(status, 0, at.now).state };
    return started(container, before, { at, restartCount: status.restartCount + 1 });
  }
  const stays = { ...status, ready: isReady, ...granted(container) };
  if (runMs === undefined) return { status: stays };
  const leftMs = runMs - (at.now - (at.since ?? Date.parse(status.state.running.startedAt)));
  return leftMs > 0
    ? { status: stays, waitMs: leftMs }
    : { status: ended(status, exitCode, at.now), waitMs: 0 };
}

/** What it asks for it has, at once: after a resize as well. */
function granted({ resources }: Container): Partial<ContainerStatus> {
  if (resources?.requests === undefined) return {};
  return { allocatedResources: resources.requests, resources };
}

/** The container has come to its end, or is brought to it. */
export function ended(status: ContainerStatus, exitCode: number, now: number): ContainerStatus {
  const { running } = status.state;
  const terminated: Terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    ...(running !== undefined && { startedAt: running.startedAt }),
    finishedAt: timeText(now),
    ...(status.containerID !== undefined && { containerID: status.containerID }),
  };
  return { ...status, ready: false, started: false, state: { terminated } };
}

function afterEnd(container: Container, status: ContainerStatus, at: Surroundings): Step {
  const code = status.state.terminated?.exitCode ?? 0;
  if (at.restarts === 'never' || (at.restarts === 'on-failure' && code === 0)) return { status };
  const note = `Back-off restarting failed container ${container.name}`;
  return {
    status: {
      ...status,
      lastState: status.state,
      state: { waiting: { reason: 'CrashLoopBackOff', message: note } },
    },
    waitMs: backoff(status.restartCount, at),
    events: [{ type: 'Warning', reason: 'BackOff', note }],
  };
}

export function backoff(times: number, { backoffMs }: Pick<Surroundings, 'backoffMs'>): number {
  return Math.min(backoffMs * 2 ** times, mostBackoffMs);
}

function elapsed({ now, since }: Surroundings): number {
  return now - (since ?? now);
}
