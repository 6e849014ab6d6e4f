import { setTimeout as pause } from 'node:timers/promises';
import { pods } from '#infra/emulator/controllers/shapes/kinds.ts';
import { isActive, type Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { labels } from '#shared/domain/installation.ts';
import type { Place } from '#test/contracts/end-to-end/place.ts';

export type Program = {
  /** Where others reach it. */
  readonly port: number;
  readonly ended: Promise<unknown>;
  /** As a power cut does it. */
  kill(): Promise<unknown>;
};

export type Start = (pod: Pod) => Promise<Program>;

export type Node = {
  running(component?: string): readonly Program[];
  stop(): Promise<void>;
};

const everyMs = 100;
const backoffMs = 500;

type Running = {
  readonly namespaces: readonly string[];
  /** By the component that a pod is labelled as. */
  readonly programs: Readonly<Record<string, Start>>;
};

/** What the emulated kubelets only tell is done: a program for each pod that runs, and none for one that has gone. */
export function openNode({ kit }: Place, { namespaces, programs }: Running): Node {
  const lives = new Map<string, Life>();
  const ending = new AbortController();
  const look = async () => {
    const found = await Promise.all(namespaces.map((each) => kit.all<Pod>(pods, each)));
    const running = found.flat().filter(runs);
    const uids = new Set(running.map(({ metadata }) => metadata.uid));
    for (const [uid, life] of lives) {
      if (!uids.has(uid)) void life.end().finally(() => lives.delete(uid));
    }
    for (const pod of running.filter(({ metadata }) => !lives.has(metadata.uid))) {
      const start = programs[componentOf(pod)];
      if (start !== undefined) lives.set(pod.metadata.uid, live(pod, start));
    }
  };
  const looking = (async () => {
    while (!ending.signal.aborted) {
      // The API server is asked again.
      await look().catch(() => undefined);
      await pause(everyMs);
    }
  })();
  return {
    running: (component) =>
      [...lives.values()]
        .filter((life) => component === undefined || life.component === component)
        .flatMap((life) => life.program() ?? []),
    async stop() {
      ending.abort();
      await looking;
      await Promise.all([...lives.values()].map((life) => life.end()));
    },
  };
}

type Life = {
  readonly component: string;
  program(): Program | undefined;
  end(): Promise<unknown>;
};

/** Started again whenever it ends, as a kubelet does, until the pod has gone. */
function live(pod: Pod, start: Start): Life {
  const ending = new AbortController();
  let now: Program | undefined;
  const living = (async () => {
    while (!ending.signal.aborted) {
      now = await start(pod).catch(() => undefined);
      if (ending.signal.aborted) await now?.kill();
      await now?.ended;
      now = undefined;
      if (!ending.signal.aborted) await pause(backoffMs);
    }
  })();
  return {
    component: componentOf(pod),
    program: () => now,
    async end() {
      ending.abort();
      await now?.kill();
      await living;
    },
  };
}

function runs(pod: Pod): boolean {
  const [container] = pod.status?.containerStatuses ?? [];
  return isActive(pod) && container?.state.running !== undefined;
}

function componentOf({ metadata }: Pod): string {
  return metadata.labels?.[labels.component] ?? '';
}
