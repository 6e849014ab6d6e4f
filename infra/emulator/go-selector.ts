import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';

/** A selector of labels, as Go prints the struct. */
export function goSelector({ matchLabels, matchExpressions }: JsonObject): string {
  const labels = isJsonObject(matchLabels) ? Object.entries(matchLabels) : [];
  const pairs = labels
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${String(value)},`);
  const terms = isList(matchExpressions) ? matchExpressions.filter(isJsonObject).map(goTerm) : [];
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join('')}},MatchExpressions:[]LabelSelectorRequirement{${terms.join('')}},}`;
}

function goTerm({ key, operator, values }: JsonObject): string {
  const listed = isList(values) ? values.map(String).join(' ') : '';
  return `LabelSelectorRequirement{Key:${String(key)},Operator:${String(operator)},Values:[${listed}],},`;
}
