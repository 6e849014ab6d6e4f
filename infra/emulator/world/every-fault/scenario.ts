import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { StatedFault } from '../faults/apply-fault.ts';
import type { Knobs } from '../faults/knobs.ts';
import type { EmulateOptions, World } from '../world.ts';

/** What happens in a cluster, step by step; after each the world settles. */
export type Scenario = Omit<EmulateOptions, 'parts'> & {
  /** By name, in their order: `{ 'the note changes': (world) => world.apply(note) }`. Do not settle in them. */
  readonly steps: Readonly<Record<string, (world: World) => unknown>>;
  /** Only these faults; all of them where it is left out. */
  readonly faults?: readonly (keyof Knobs)[];
  /** What of an object has to be the same at the end; `undefined` leaves it out. Left out itself: all but Events. */
  readonly compare?: (object: KubeObject) => KubeObject | undefined;
  /** No more than so many ends that differ from each other are looked for. */
  readonly enough?: number;
};

/** One way through the scenario: what goes wrong, and where. */
export type Case = {
  /** In the order in which they are turned; with none, the scenario is just played again. */
  readonly faults: readonly StatedFault[];
  /** Before the step of this number, from 0; after the last one where it is as many as there are. */
  readonly place: number;
  /** From there on nobody waits between the steps. */
  readonly isHurried: boolean;
};

export type Finding = Case & {
  /** `before "the note changes"` */
  readonly where: string;
  /** What differs, line by line; or why the world did not come to rest. */
  readonly difference: string;
};

export type FaultReport = {
  readonly cases: number;
  readonly findings: readonly Finding[];
  /** For people: each finding with its fault, its place and its difference. */
  readonly text: string;
};
