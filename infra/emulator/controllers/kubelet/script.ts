import { parseDuration } from '#shared/domain/duration.ts';
import { controllerOf } from '../shapes/meta.ts';
import type { Container, Pod } from '../shapes/pod.ts';
import type { Faults } from './faults.ts';

/** What a container does once it has started. */
export type Script = {
  /** Until it ends; it runs on where there is none. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  readonly isReady: boolean;
};

export const runFor = 'emulator.gatehouse.dev/run-for';
export const exitCode = 'emulator.gatehouse.dev/exit-code';

type Role = 'init' | 'sidecar' | 'main' | 'ephemeral';
type Casting = { readonly role: Role; readonly jobMs: number; readonly faults: Faults };

/** A fault before the container's environment before the pod's annotations before what is usual. */
export function scriptOf(pod: Pod, container: Container, casting: Casting): Script {
  const { role, faults } = casting;
  const isReady = faults.find('unready', container.image) === undefined;
  const broken = faults.find('exit', container.image);
  if (broken !== undefined) return { runMs: 0, exitCode: broken.exitCode, isReady };
  if (role === 'sidecar' || role === 'ephemeral') return { runMs: undefined, exitCode: 0, isReady };

  const said = statedFor(pod, container, role);
  const runMs = said.runFor === undefined ? undefined : parseDuration(said.runFor);
  return {
    runMs: runMs ?? usual(pod, casting, said.exitCode),
    exitCode: Number(said.exitCode ?? 0),
    isReady,
  };
}

type Said = { readonly runFor: string | undefined; readonly exitCode: string | undefined };

/** Annotations are about the pod's own containers: an init container that never ends would be no use. */
function statedFor({ metadata }: Pod, { env = [] }: Container, role: Role): Said {
  const annotations = role === 'main' ? (metadata.annotations ?? {}) : {};
  const variable = (name: string) => env.find((each) => each.name === name)?.value;
  return {
    runFor: variable('EMULATOR_RUN_FOR') ?? annotations[runFor],
    exitCode: variable('EMULATOR_EXIT_CODE') ?? annotations[exitCode],
  };
}

function usual(pod: Pod, { role, jobMs }: Casting, code: string | undefined): number | undefined {
  if (role === 'init') return 0;
  const isJobs = controllerOf(pod)?.kind === 'Job';
  return isJobs || code !== undefined ? jobMs : undefined;
}
