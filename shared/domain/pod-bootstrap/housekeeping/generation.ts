import { marks } from '../provenance.ts';
import type { Looked } from './look-at-pods.ts';
import type { Unjudged } from './look-over.ts';

/** What one pod was made by, and what it is. */
export type Generation = {
  readonly namespace: string;
  readonly pod: string;
  /** The hash of the configuration that it was made by; `undefined` where none was noted, or not by us. */
  readonly configuration: string | undefined;
  readonly isCurrent: boolean;
  readonly bundle: string | undefined;
  readonly features: readonly string[];
  /** `current`, `missed`, `staleBundle`, `staleConfiguration`; `odd`: it lacks what it was once given; `unjudged`. */
  readonly states: readonly string[];
  readonly lacks: readonly string[];
  /** Why it is not restarted, though it lacks something. */
  readonly excuse: string | undefined;
};

export function generationOf(
  { pod, judgement }: Looked,
  currentHash: string,
  excuse: string | undefined,
): Generation {
  const { by } = judgement;
  const bundle = pod.annotations[marks.bundleHash];
  const states = [...judgement.reasons, ...(judgement.isOdd ? ['odd'] : [])];
  return {
    namespace: pod.namespace,
    pod: pod.name,
    configuration: by?.configuration,
    isCurrent: by?.configuration === currentHash,
    bundle: typeof bundle === 'string' ? bundle : undefined,
    features: by?.features ?? [],
    states: states.length === 0 ? ['current'] : states,
    lacks: judgement.lacks,
    excuse: states.length === 0 ? undefined : excuse,
  };
}

/** Nothing is known of it but why. */
export function unjudgedGeneration({ namespace, pod, why }: Unjudged): Generation {
  return {
    ...{ namespace: namespace.name, pod, configuration: undefined, isCurrent: false },
    ...{ bundle: undefined, features: [], states: ['unjudged'], lacks: [why], excuse: undefined },
  };
}
