import { isDeepStrictEqual } from 'node:util';
import { casesFor } from './matrix.ts';
import type { Played } from './play.ts';
import type { Case, FaultReport, Finding, Scenario } from './scenario.ts';

/**
 * Plays a scenario through every fault (alone at each step, in haste, and some in pairs), and throws where the cluster does
 * not end as it does without them. The error names the fault, its place, and what differs.
 *
 * ```ts
 * it('survives every fault', () =>
 *   everyFault({
 *     functions: [new URL('./copy-note.ts', import.meta.url)],
 *     steps: { 'a note is made': (world) => world.apply(note), 'it goes': (world) => world.delete(note) },
 *   }));
 * ```
 */
export async function everyFault(scenario: Scenario): Promise<FaultReport> {
  const report = await faultReport(scenario);
  if (report.findings.length === 0) return report;
  throw Object.assign(new Error(report.text), { name: 'FaultsFound' });
}

/** The same, for whoever wants to look at the findings. */
export async function faultReport(scenario: Scenario): Promise<FaultReport> {
  const { faults: wanted, enough = 10 } = scenario;
  const { end, facts } = await withoutFaults(scenario);
  const findings: Finding[] = [];
  let played = 0;
  for (const each of casesFor(facts, wanted)) {
    if (new Set(findings.map(({ difference }) => difference)).size >= enough) break;
    played += 1;
    const difference = await differenceIn(scenario, each, end);
    if (difference === undefined || isOfHaste(each, difference, findings)) continue;
    const { whereOf } = await import('./report.ts');
    findings.push({ ...each, where: whereOf(each, Object.keys(scenario.steps)), difference });
  }
  const { textOf } = await import('./report.ts');
  return { cases: played, findings, text: textOf(findings, played) };
}

/** Haste alone ends so: the fault has no part in it. */
function isOfHaste(
  { faults, isHurried }: Case,
  difference: string,
  before: readonly Finding[],
): boolean {
  const ofHaste = before.find((each) => each.isHurried && each.faults.length === 0);
  return isHurried && faults.length > 0 && ofHaste?.difference === difference;
}

const noFault: Case = { faults: [], place: 0, isHurried: false };

async function withoutFaults(scenario: Scenario): Promise<Played> {
  try {
    const { play } = await import('./play.ts');
    return await play(scenario, noFault);
  } catch (cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`without any fault the scenario does not end: ${why}`, { cause });
  }
}

async function differenceIn(
  scenario: Scenario,
  given: Case,
  expected: Played['end'],
): Promise<string | undefined> {
  try {
    const { play } = await import('./play.ts');
    const { end } = await play(scenario, given);
    if (isDeepStrictEqual(end, expected)) return undefined;
    const { differenceOf } = await import('./report.ts');
    return differenceOf(expected, end);
  } catch (cause: unknown) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}
