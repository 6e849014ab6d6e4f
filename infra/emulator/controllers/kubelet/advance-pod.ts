import { sameJson } from '#shared/domain/json.ts';
import { timeText } from '../conditions.ts';
import type { Report } from '../frame/controller.ts';
import type { Container, ContainerStatus, Pod, PodStatus } from '../shapes/pod.ts';
import type { Faults } from './faults.ts';
import type { ImageFact } from './image.ts';
import { conditionsOf } from './pod-conditions.ts';
import { type PodPhase, phaseOf } from './pod-phase.ts';
import { scriptOf } from './script.ts';
import { ended, type Restarts, stepContainer } from './step-container.ts';

/** What the kubelet knows beside the object. */
export type PodFacts = {
  readonly now: number;
  /** Since when the pod is the kubelet's. */
  readonly seenAt: number;
  readonly createMs: number;
  readonly jobMs: number;
  readonly backoffMs: number;
  readonly isMissing: boolean;
  /** Since when a container is in its state. */
  since(container: string): number | undefined;
  imageOf(container: Container): ImageFact;
  misfitOf(container: Container): string | undefined;
  idOf(container: string, restartCount: number): string;
  readonly faults: Faults;
  readonly hostIP: string;
  readonly podIP: string;
};

export type Advance = {
  readonly status: PodStatus;
  readonly waitMs?: number;
  readonly events: readonly Report[];
};

type Role = Parameters<typeof scriptOf>[2]['role'];
type Stepped = {
  readonly status: ContainerStatus;
  readonly role: Role;
  readonly waitMs?: number | undefined;
  readonly events?: readonly Report[];
};

/** The pod's next status: pure, so that a kubelet that was restarted goes on where the last one was. */
export function advancePod(pod: Pod, facts: PodFacts): Advance {
  const leftMs = facts.createMs - (facts.now - facts.seenAt);
  const isNew = pod.status?.containerStatuses === undefined;
  if (isNew || facts.isMissing || leftMs > 0) {
    const status = statusOf(pod, { stepped: untouched(pod), facts });
    return { status, events: [], ...(!facts.isMissing && { waitMs: Math.max(leftMs, 0) }) };
  }
  const stepped = settledAll(pod, stepAll(pod, facts), facts);
  const waits = stepped.flatMap(({ waitMs }) => waitMs ?? []);
  return {
    status: statusOf(pod, { stepped, facts }),
    events: stepped.flatMap(({ events = [] }) => events),
    ...(waits.length > 0 && { waitMs: Math.min(...waits) }),
  };
}

function stepAll(pod: Pod, facts: PodFacts): readonly Stepped[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const stepped: Stepped[] = [];
  let isBlocked = false;
  for (const container of initContainers) {
    const role = container.restartPolicy === 'Always' ? 'sidecar' : 'init';
    const next: Stepped = isBlocked
      ? idle(pod, container, role)
      : step(pod, container, { role, facts });
    stepped.push(next);
    isBlocked ||= !isThrough(next);
  }
  for (const container of containers) {
    const next = isBlocked
      ? idle(pod, container, 'main')
      : step(pod, container, { role: 'main', facts });
    stepped.push(next);
  }
  const others = ephemeralContainers.map((each) => step(pod, each, { role: 'ephemeral', facts }));
  return [...stepped, ...others];
}

/** An init container lets the next one start when it has done its work, a sidecar when it runs. */
function isThrough({ role, status }: Stepped): boolean {
  if (role === 'sidecar') return status.state.running !== undefined;
  return status.state.terminated?.exitCode === 0;
}

type Stepping = { readonly role: Role; readonly facts: PodFacts };

function step(pod: Pod, container: Container, { role, facts }: Stepping): Stepped {
  const before = statusIn(pod, container.name, role);
  const next = stepContainer(container, before, {
    now: facts.now,
    since: facts.since(container.name),
    image: facts.imageOf(container),
    misfit: facts.misfitOf(container),
    script: scriptOf(pod, container, { role, jobMs: facts.jobMs, faults: facts.faults }),
    restarts: restartsOf(pod, role),
    backoffMs: facts.backoffMs,
    idOf: (count) => facts.idOf(container.name, count),
  });
  const status = role === 'init' ? initReady(next.status) : next.status;
  const isNews = !sameJson(before, status);
  const events = isNews ? (next.events ?? []) : [];
  const part = partOf(container, role);
  return { ...next, status, role, events: events.map((each) => ({ ...each, part })) };
}

/** As an Event names it. */
export function partOf({ name }: Pick<Container, 'name'>, role: Role): string {
  return `spec.${fields[role]}{${name}}`;
}

const fields: Readonly<Record<Role, string>> = {
  init: 'initContainers',
  sidecar: 'initContainers',
  main: 'containers',
  ephemeral: 'ephemeralContainers',
};

/** An init container is ready when it is through. */
function initReady(status: ContainerStatus): ContainerStatus {
  return { ...status, ready: status.state.terminated?.exitCode === 0 };
}

function restartsOf({ spec }: Pod, role: Role): Restarts {
  if (role === 'ephemeral') return 'never';
  if (role === 'sidecar') return 'always';
  const { restartPolicy = 'Always' } = spec;
  if (restartPolicy === 'Never') return 'never';
  return restartPolicy === 'OnFailure' || role === 'init' ? 'on-failure' : 'always';
}

function untouched({ spec, ...pod }: Pod): readonly Stepped[] {
  const whole = { ...pod, spec };
  return [
    ...(spec.initContainers ?? []).map((each) => idle(whole, each, 'init')),
    ...spec.containers.map((each) => idle(whole, each, 'main')),
  ];
}

/** Not its turn yet. */
function idle(pod: Pod, { name, image }: Container, role: Role): Stepped {
  const hasInit = (pod.spec.initContainers ?? []).length > 0;
  const reason = hasInit ? 'PodInitializing' : 'ContainerCreating';
  const state = { waiting: { reason } };
  const fresh = { name, image, imageID: '', restartCount: 0, ready: false, started: false, state };
  return { role, status: statusIn(pod, name, role) ?? fresh };
}

function statusIn({ status }: Pod, name: string, role: Role): ContainerStatus | undefined {
  const all = {
    init: status?.initContainerStatuses,
    sidecar: status?.initContainerStatuses,
    main: status?.containerStatuses,
    ephemeral: status?.ephemeralContainerStatuses,
  };
  return all[role]?.find((each) => each.name === name);
}

/** When the pod's own containers are through, its sidecars are ended. */
function settledAll(pod: Pod, stepped: readonly Stepped[], facts: PodFacts): readonly Stepped[] {
  const phase = phaseOf(pod, statusesOf(stepped));
  if (phase !== 'Succeeded' && phase !== 'Failed') return stepped;
  return stepped.map(({ role, status }) => ({
    role,
    status: status.state.running === undefined ? status : ended(status, 0, facts.now),
  }));
}

export type Statuses = {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
  readonly ephemeral: readonly ContainerStatus[];
};

function statusesOf(stepped: readonly Stepped[]): Statuses {
  const of = (...roles: readonly Role[]) =>
    stepped.filter(({ role }) => roles.includes(role)).map(({ status }) => status);
  return { init: of('init', 'sidecar'), main: of('main'), ephemeral: of('ephemeral') };
}

type Telling = { readonly stepped: readonly Stepped[]; readonly facts: PodFacts };

function statusOf(pod: Pod, { stepped, facts }: Telling): PodStatus {
  const statuses = statusesOf(stepped);
  const phase: PodPhase = phaseOf(pod, statuses);
  const isCreated = stepped.some(({ status }) => status.containerID !== undefined);
  const { hostIP, podIP, now } = facts;
  const { generation } = pod.metadata;
  return {
    phase,
    ...(generation !== undefined && { observedGeneration: generation }),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(isCreated && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: pod.status?.startTime ?? timeText(now),
    conditions: conditionsOf(pod, { phase, statuses, isCreated, now: timeText(now) }),
    ...(statuses.init.length > 0 && { initContainerStatuses: statuses.init }),
    containerStatuses: statuses.main,
    ...(statuses.ephemeral.length > 0 && { ephemeralContainerStatuses: statuses.ephemeral }),
  };
}
