import { choice, dictionary, list, maybe, refine, strictRecord, text } from './decode.ts';
import { parseRequirements } from './selector-text.ts';

/** As it stands in a manifest. Both parts must hold; an empty selector matches everything. */
export type LabelSelector = {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly LabelRequirement[] | undefined;
};

export type LabelRequirement = {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[] | undefined;
};

/** The API server refuses the others, and with them the whole webhook configuration. */
const requirement = refine(
  strictRecord({
    key: text,
    operator: choice('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: maybe(list(text)),
  }),
  ({ operator, values = [] }) => (operator === 'In' || operator === 'NotIn') === values.length > 0,
  'values with In and NotIn, and none with Exists and DoesNotExist',
);

export const labelSelector = strictRecord({
  matchLabels: maybe(dictionary(text)),
  matchExpressions: maybe(list(requirement)),
});

type Labels = Readonly<Record<string, string>>;

export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  for (const key in matchLabels) {
    if (!Object.hasOwn(matchLabels, key)) continue;
    if (labelOf(labels, key) !== matchLabels[key]) return false;
  }
  return matchExpressions.every((requirement) => meets(labels, requirement));
}

function meets(labels: Labels, { key, operator, values = [] }: LabelRequirement): boolean {
  const found = labelOf(labels, key);
  switch (operator) {
    case 'In':
      return found !== undefined && values.includes(found);
    case 'NotIn':
      return found === undefined || !values.includes(found);
    case 'Exists':
      return found !== undefined;
    case 'DoesNotExist':
      return found === undefined;
  }
}

/** A label may be called `constructor`. */
function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** For the API's `labelSelector` parameter; empty where everything is selected. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(requirementText),
  ].join(',');
}

function requirementText({ key, operator, values = [] }: LabelRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}

/** `a=b,c!=d,e in (x,y),!f,g`, as kubectl's `-l` takes it. Of a comparison by number a manifest knows nothing. */
export function parseSelector(text: string): LabelSelector | undefined {
  const requirements = parseRequirements(text);
  if (requirements === undefined) return undefined;

  const single = requirements.filter(
    ({ operator, values }) => operator === 'In' && values?.length === 1,
  );
  const keys = new Set(single.map(({ key }) => key));
  // `a=b,a=c` matches nothing; as matchLabels one of the two would be lost.
  const isLabel = single.length === keys.size;
  return isLabel ? split(requirements) : { matchExpressions: requirements };
}

function split(requirements: readonly LabelRequirement[]): LabelSelector {
  const labels: [string, string][] = [];
  const expressions: LabelRequirement[] = [];
  for (const requirement of requirements) {
    const [value, ...more] = requirement.operator === 'In' ? (requirement.values ?? []) : [];
    if (value === undefined || more.length > 0) expressions.push(requirement);
    else labels.push([requirement.key, value]);
  }
  return {
    ...(labels.length > 0 && { matchLabels: Object.fromEntries(labels) }),
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  };
}
