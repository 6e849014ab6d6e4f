import { isJsonObject, isList, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { type LabelSelector, matchesLabels } from '#shared/domain/selector.ts';
import { labelsOf, nameOf, objects } from '../stated.ts';

/** What the aggregation controller would write into a ClusterRole; `undefined` where the role has its rules by itself. */
export function aggregatedRules(
  role: JsonObject,
  all: readonly JsonObject[],
  above: readonly string[] = [],
): readonly JsonObject[] | undefined {
  if (!isJsonObject(role['aggregationRule'])) return undefined;
  // Two roles that select each other must come to an end.
  const within = [...above, nameOf(role)];
  const selectors = objects(role['aggregationRule']['clusterRoleSelectors']).map(readSelector);
  const parts = selectors.flatMap((selector) =>
    all
      .filter((each) => !within.includes(nameOf(each)) && matchesLabels(selector, labelsOf(each)))
      .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
  );
  const rules = parts.flatMap(
    (part) => aggregatedRules(part, all, within) ?? objects(part['rules']),
  );
  return rules.filter((rule, at) => rules.findIndex((each) => sameJson(each, rule)) === at);
}

/** The API server has checked its shape. */
function readSelector(selector: JsonObject): LabelSelector {
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(isJsonObject(matchLabels) && { matchLabels }),
    ...(isList(matchExpressions) && { matchExpressions }),
  } as LabelSelector;
}
