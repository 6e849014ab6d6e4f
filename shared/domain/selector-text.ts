import { isLabelValue, labelKey, labelValue } from './label.ts';
import type { LabelRequirement } from './selector.ts';

const key = `(?<key>${labelKey})`;

const presence = new RegExp(`^(?<not>!?)\\s*${key}$`);
const equality = new RegExp(`^${key}\\s*(?<operator>==?|!=)\\s*(?<value>${labelValue})$`);
const membership = new RegExp(`^${key}\\s+(?<operator>in|notin)\\s*\\((?<values>[^()]*)\\)$`);

/** The string form of a label selector, one requirement a term; `undefined` where the API server would refuse it. */
export function parseRequirements(text: string): readonly LabelRequirement[] | undefined {
  if (text.trim() === '') return [];
  const requirements = termsOf(text).map((term) => parseTerm(term.trim()));
  return requirements.includes(undefined)
    ? undefined
    : requirements.filter((requirement) => requirement !== undefined);
}

/** At the commas outside of parentheses. */
function termsOf(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/);
}

function parseTerm(term: string): LabelRequirement | undefined {
  return parsePresence(term) ?? parseEquality(term) ?? parseMembership(term);
}

function parsePresence(term: string): LabelRequirement | undefined {
  const { not, key } = presence.exec(term)?.groups ?? {};
  if (key === undefined) return undefined;
  return { key, operator: not === '!' ? 'DoesNotExist' : 'Exists' };
}

function parseEquality(term: string): LabelRequirement | undefined {
  const { key, operator, value } = equality.exec(term)?.groups ?? {};
  if (key === undefined || value === undefined) return undefined;
  return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] };
}

function parseMembership(term: string): LabelRequirement | undefined {
  const { key, operator, values } = membership.exec(term)?.groups ?? {};
  if (key === undefined || values === undefined) return undefined;
  const stated = values.split(',').map((text) => text.trim());
  if (!stated.every(isLabelValue)) return undefined;
  return { key, operator: operator === 'in' ? 'In' : 'NotIn', values: stated };
}
