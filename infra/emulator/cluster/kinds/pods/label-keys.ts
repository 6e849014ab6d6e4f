import { isJsonObject, isList, type JsonObject, sameJson } from '#shared/domain/json.ts';
import {
  all,
  type Edit,
  each,
  inside,
  itemsOf,
  metadataOf,
  partOf,
  put,
  specOf,
} from '../words/edit.ts';

const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const required = 'requiredDuringSchedulingIgnoredDuringExecution';

/** "Pods with my value of this label" becomes that value in the selector, once and for all. */
export function withLabelKeys(pod: JsonObject): JsonObject {
  const term = resolved(partOf(metadataOf(pod), 'labels'));
  const terms = all(each(required, term), each(preferred, inside('podAffinityTerm', term)));
  const affinity = all(inside('podAffinity', terms), inside('podAntiAffinity', terms));
  const spec = all(inside('affinity', affinity), each('topologySpreadConstraints', term));
  return isJsonObject(pod['spec']) ? put(pod, 'spec', spec(specOf(pod))) : pod;
}

const operators = [
  ['matchLabelKeys', 'In'],
  ['mismatchLabelKeys', 'NotIn'],
] as const;

function resolved(labels: JsonObject): Edit {
  return (term) => {
    const wanted = operators.flatMap(([key, operator]) =>
      keysOf(term, key)
        .filter((label) => label in labels)
        .map((label) => ({ key: label, operator, values: [labels[label] ?? ''] })),
    );
    return wanted.length === 0 ? term : inside('labelSelector', withRequirements(wanted))(term);
  };
}

function keysOf(term: JsonObject, key: string): readonly string[] {
  const keys = term[key];
  return isList(keys) ? keys.map(String) : [];
}

function withRequirements(wanted: readonly JsonObject[]): Edit {
  return (selector) => {
    const known = itemsOf(selector, 'matchExpressions');
    const missing = wanted.filter((one) => !known.some((each) => sameJson(each, one)));
    if (missing.length === 0) return selector;
    return { ...selector, matchExpressions: [...known, ...missing] };
  };
}
