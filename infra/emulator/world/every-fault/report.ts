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
  return [head, ...findings.map(paragraph)].join('\n\n');
}

function paragraph({ faults, where, difference }: Finding): string {
  const what = faults.map(wordsOf).join(' and ');
  const told =
    faults.length > 0
      ? `${what}, ${where}:`
      : where.includes('no pause')
        ? 'no fault, but no pause between the steps either:'
        : `no fault at all, played once more. Does a function read a clock or dice of its own, or keep something in its module's memory?`;
  return `${told}\n${indented(difference)}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
