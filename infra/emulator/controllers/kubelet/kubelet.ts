import { createHash } from 'node:crypto';
import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { accountOf, nodeUser } from '../frame/acting-as.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { configMaps, nodes, pods, secrets, trustBundles } from '../shapes/kinds.ts';
import { isLeaving, placeOf, type Thing } from '../shapes/meta.ts';
import { type Container, isOver, type Pod } from '../shapes/pod.ts';
import { nodeAddress, openAddresses } from './addresses.ts';
import { advancePod, type PodFacts } from './advance-pod.ts';
import { endOverdue, leftToRun } from './deadline.ts';
import type { Faults } from './faults.ts';
import { type Life, note, openLives } from './lives.ts';
import { loginsOf } from './logins.ts';
import { type Missing, missingConfig, missingLogin, missingVolume } from './missing.ts';
import { type KubeletOptions, nodesOf, quick, type Timings } from './options.ts';
import { presentFor } from './present.ts';
import { openPulls, type Pulls } from './pulls.ts';
import { tell } from './tell.ts';
import { terminate } from './terminate.ts';

type Choices = { readonly options: KubeletOptions; readonly faults: Faults };

export type Kubelet = {
  readonly timings: Timings;
  readonly faults: Faults;
  readonly lives: ReturnType<typeof openLives>;
  readonly addresses: ReturnType<typeof openAddresses>;
  readonly hosts: ReadonlyMap<string, string>;
  readonly pulls: Pulls;
  /** Pods that wait for something that is not there. */
  readonly stuck: Set<string>;
};

/** Runs the pods of its nodes, as far as the API can tell: what happens inside of them is a script. */
export function kubelet({ options, faults }: Choices): Controller {
  const self = openKubelet(options, faults);
  const wakesStuck = ({ metadata }: Thing) =>
    [...self.stuck].filter((place) => place.startsWith(`${metadata.namespace ?? ''}/`));
  return {
    name: 'kubelet',
    workers: 64,
    wakes: [
      wake(pods, (pod) => (pod.spec.nodeName === undefined ? [] : [placeOf(pod)])),
      { kind: configMaps, metadataOnly: true, places: wakesStuck },
      { kind: secrets, metadataOnly: true, places: wakesStuck },
      wake(trustBundles, () => self.stuck),
    ],
    reads: [nodes],
    begin(world, wakeUp) {
      for (const { metadata, status } of world.shelf(pods).list()) {
        if (status?.podIP !== undefined) self.addresses.reserve(metadata.uid, status.podIP);
      }
      world.shelf(pods).onChange(({ before, after }) => {
        if (before !== undefined && before.metadata.uid !== after?.metadata.uid) end(self, before);
      });
      world.shelf(nodes).onChange(({ before, after }) => {
        if (before !== undefined && after === undefined)
          wakeOn(before.metadata.name, world, wakeUp);
      });
      self.pulls.onPulled(wakeUp);
      faults.onChange(() => {
        for (const { images } of self.lives.all()) images.clear();
        for (const pod of world.shelf(pods).list()) wakeUp(placeOf(pod));
      });
    },
    reconcile: (place, world) => look(place, self, world),
  };
}

function wakeOn(node: string, world: World, wakeUp: (place: string) => void): void {
  for (const pod of world.shelf(pods).list()) if (pod.spec.nodeName === node) wakeUp(placeOf(pod));
}

function openKubelet(options: KubeletOptions, faults: Faults): Kubelet {
  const timings = { ...quick, ...options.timings };
  return {
    timings,
    faults,
    lives: openLives(),
    addresses: openAddresses(),
    hosts: new Map(nodesOf(options).map(({ name }, index) => [name, nodeAddress(index + 1)])),
    pulls: openPulls({ resolveImage: options.resolveImage, faults, timings }),
    stuck: new Set(),
  };
}

function end({ lives, addresses, stuck }: Kubelet, pod: Pod): void {
  lives.end(pod.metadata.uid);
  addresses.free(pod.metadata.uid);
  stuck.delete(placeOf(pod));
}

async function look(place: string, self: Kubelet, all: World): Promise<Outcome> {
  const pod = all.shelf(pods).find(place);
  if (pod?.spec.nodeName === undefined) return done;
  const world = all.as(nodeUser(pod.spec.nodeName));
  const hostIP = self.hosts.get(pod.spec.nodeName);
  const isThere = world.shelf(nodes).find(`/${pod.spec.nodeName}`) !== undefined;
  if (hostIP === undefined || !isThere) return isThere ? done : buryStray(pod, world);
  const now = world.now().getTime();
  const life = self.lives.of(pod, now);
  if (isLeaving(pod)) return terminate(pod, { life, now, graceMs: self.timings.graceMs }, world);
  return isOver(pod) ? done : runOn(pod, { self, world, life, now, hostIP });
}

/** What has run on a node that is no more, or is to end there, goes at once: somebody watches. No node may do it. */
async function buryStray(pod: Pod, world: World): Promise<Outcome> {
  if (pod.status?.startTime === undefined && !isLeaving(pod)) return done;
  const removal = { uid: pod.metadata.uid, graceSeconds: 0 };
  const collector = world.as(accountOf('pod-garbage-collector'));
  return outcomeOf(await collector.api.remove(targetOf(pods, pod), removal));
}

type Desk = {
  readonly self: Kubelet;
  readonly world: World;
  readonly life: Life;
  readonly now: number;
  readonly hostIP: string;
};

async function runOn(pod: Pod, desk: Desk): Promise<Outcome> {
  const { self, world, life, now } = desk;
  const leftMs = leftToRun(pod, now);
  if (leftMs <= 0) return endOverdue(pod, now, world);
  const present = presentFor(pod, world);
  const missing = missingVolume(pod, present);
  reportMissing(pod, missing ?? missingLogin(pod, present), desk);
  const next = advancePod(pod, factsOf(pod, desk, missing !== undefined));
  const written = await writeStatus(world, { kind: pods, object: pod, status: next.status });
  if (written.kind !== 'done') return written;

  note(life, { before: pod.status, after: next.status, now });
  for (const event of next.events) tell(pod, event, world);
  if (missing === undefined) self.pulls.start(pod, life, () => loginsOf(pod, world));
  const waitMs = Math.min(
    next.waitMs ?? Number.POSITIVE_INFINITY,
    leftToRun({ ...pod, ...next }, now),
  );
  return waitMs === Number.POSITIVE_INFINITY ? done : later(Math.max(waitMs, 1) / 1_000);
}

function reportMissing(pod: Pod, missing: Missing | undefined, { self, world }: Desk): void {
  const place = placeOf(pod);
  if (missing === undefined) {
    self.stuck.delete(place);
    return;
  }
  if (!self.stuck.has(place)) tell(pod, { type: 'Warning', ...missing }, world);
  self.stuck.add(place);
}

function factsOf(pod: Pod, { self, world, life, now, hostIP }: Desk, isMissing: boolean): PodFacts {
  const { uid } = pod.metadata;
  const present = presentFor(pod, world);
  const own = pod.spec.hostNetwork === true;
  return {
    ...self.timings,
    now,
    isMissing,
    seenAt: life.seenAt,
    faults: self.faults,
    hostIP,
    podIP: own ? hostIP : self.addresses.of(uid, pod.status?.podIP),
    since: (container) => life.marks.get(container),
    imageOf: ({ image }: Container) => life.images.get(image) ?? { kind: 'pulling' },
    misfitOf: (container) => missingConfig(container, present),
    idOf: (container, count) => `containerd://${hash(`${uid}/${container}/${count}`)}`,
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
