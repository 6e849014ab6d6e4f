import { structuredPatch } from 'diff';
import { stringify } from 'yaml';
import type { StatedFault } from '../faults/apply-fault.ts';
import type { EndState } from './end-state.ts';
import type { Case, Finding } from './scenario.ts';

/** Line by line, as YAML: what is there without faults, and what is there with them. */
export function differenceOf(expected: EndState, found: EndState): string {
  const { hunks } = structuredPatch('', '', yamlOf(expected), yamlOf(found), '', '', {
    context: 4,
  });
  return hunks.map(({ lines }) => lines.join('\n')).join('\n…\n');
}

function yamlOf(state: EndState): string {
  return stringify(state, { aliasDuplicateObjects: false, lineWidth: 0 });
}

export function whereOf({ place, isHurried }: Case, steps: readonly string[]): string {
  const step = steps[place];
  const at = step === undefined ? 'after the last step' : `before "${step}"`;
  return isHurried ? `${at}, with no pause between the steps from there on` : at;
}

export function wordsOf({ name, ...given }: StatedFault): string {
  const words = Object.entries(given).map(([key, value]) => `${key}: ${String(value)}`);
  return words.length === 0 ? name : `${name} (${words.join(', ')})`;
}

export function textOf(findings: readonly Finding[], cases: number): string {
  if (findings.length === 0) return `the same end in all ${cases} cases`;
  const head = `${findings.length} of ${cases} cases end otherwise than without faults:`;
  const alike = Map.groupBy(findings, ({ difference }) => difference);
  return [head, ...[...alike.values()].map(paragraph)].join('\n\n');
}

const mostAlike = 5;

/** What ends alike is told once, with each way to get there. */
function paragraph([first, ...others]: readonly Finding[]): string {
  if (first === undefined) return '';
  const told = [`${titleOf(first)}\n${indented(first.difference)}`];
  const named = others.slice(0, mostAlike).map((each) => `  ${wayOf(each)}`);
  const more = others.length - named.length;
  return [
    ...told,
    ...(others.length > 0 ? ['the same end by', ...named] : []),
    ...(more > 0 ? [`  and in ${more} more`] : []),
  ].join('\n');
}

function titleOf(finding: Finding): string {
  if (finding.faults.length > 0 || finding.isHurried) return `${wayOf(finding)}:`;
  return `no fault at all, played once more. Does a function read a clock or dice of its own, or keep something in its module's memory?`;
}

function wayOf({ faults, where, isHurried }: Finding): string {
  if (faults.length > 0) return `${faults.map(wordsOf).join(' and ')}, ${where}`;
  return isHurried ? 'no fault, but no pause between the steps either' : 'no fault at all';
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
