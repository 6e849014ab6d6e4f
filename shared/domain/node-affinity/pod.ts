import { anyObject, type Decoded, list, number, optional, record, text } from '../decode.ts';
import type { JsonObject } from '../json.ts';

const requirements = optional(
  list(record({ key: text, operator: text, values: optional(list(text), []) })),
  [],
);
const nodeTerm = record({ matchExpressions: requirements, matchFields: requirements });

export type NodeTerm = Decoded<typeof nodeTerm>;

/** Only what says where a pod may run: this is decoded for every pod that is created. */
export const placedSpec = record({
  nodeName: optional(text, ''),
  nodeSelector: optional(anyObject, {}),
  affinity: optional(
    record({
      nodeAffinity: optional(
        record({
          requiredDuringSchedulingIgnoredDuringExecution: optional(
            record({ nodeSelectorTerms: optional(list(nodeTerm), []) }),
          ),
          preferredDuringSchedulingIgnoredDuringExecution: optional(
            list(record({ weight: number, preference: nodeTerm })),
          ),
        }),
      ),
    }),
  ),
});

export type PlacedSpec = Decoded<typeof placedSpec>;

export const newPod = record({
  metadata: optional(record({ annotations: optional(anyObject) })),
  spec: placedSpec,
});

export type NewPod = Decoded<typeof newPod>;

/**
 * Whether the pod's author has chosen among the pools. The terms are alternatives, so that each must name pools (one
 * that does not lets the pod run anywhere; an empty one matches no node and counts for nothing). Only `In` is a choice:
 * `Exists` holds on every pool, and `NotIn` leaves all the others.
 */
export function fixesPool({ nodeSelector, affinity }: PlacedSpec, labelKey: string): boolean {
  if (Object.hasOwn(nodeSelector, labelKey)) return true;

  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = (required?.nodeSelectorTerms ?? []).filter(
    ({ matchExpressions, matchFields }) => matchExpressions.length + matchFields.length > 0,
  );
  return terms.length > 0 && terms.every((term) => namesPools(term, labelKey));
}

function namesPools({ matchExpressions }: NodeTerm, labelKey: string): boolean {
  return matchExpressions.some(({ key, operator }) => key === labelKey && operator === 'In');
}

export function isOptedOut(annotations: JsonObject | undefined, optOutAnnotation: string): boolean {
  if (optOutAnnotation === '' || annotations === undefined) return false;
  return Object.hasOwn(annotations, optOutAnnotation) && annotations[optOutAnnotation] === 'true';
}
