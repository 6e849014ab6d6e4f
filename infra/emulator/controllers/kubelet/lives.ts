import type { ContainerState, ContainerStatus, Pod, PodStatus } from '../shapes/pod.ts';
import type { ImageFact } from './image.ts';

/** What the kubelet keeps of a pod beside its status: moments finer than seconds, and pulls under way. */
export type Life = {
  readonly seenAt: number;
  leavingSince: number | undefined;
  readonly marks: Map<string, number>;
  readonly images: Map<string, ImageFact>;
  /** Pulls in a row that failed. */
  failedPulls: number;
};

export function openLives() {
  const lives = new Map<string, Life>();
  return {
    of({ metadata }: Pod, now: number): Life {
      const known = lives.get(metadata.uid);
      if (known !== undefined) return known;
      const [marks, images] = [new Map<string, number>(), new Map<string, ImageFact>()];
      const life = { seenAt: now, leavingSince: undefined, marks, images, failedPulls: 0 };
      lives.set(metadata.uid, life);
      return life;
    },
    end: (uid: string) => lives.delete(uid),
    all: () => lives.values(),
  };
}

/** Notes when each container entered the state that was just written. */
export function note(life: Life, { before, after, now }: Written): void {
  const old = new Map(statusesOf(before).map((status) => [status.name, status.state]));
  for (const { name, state } of statusesOf(after)) {
    if (stepOf(old.get(name)) !== stepOf(state)) life.marks.set(name, now);
  }
}

type Written = {
  readonly before: PodStatus | undefined;
  readonly after: PodStatus;
  readonly now: number;
};

function statusesOf(status: PodStatus | undefined): readonly ContainerStatus[] {
  return [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
}

function stepOf(state: ContainerState | undefined): string {
  return state?.waiting?.reason ?? Object.keys(state ?? {}).join();
}
