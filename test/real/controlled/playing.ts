import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '#test/contracts/kube-api/asking.ts';
import type { Step } from '#test/contracts/kube-api/case.ts';
import { placed } from '#test/contracts/kube-api/running.ts';
import { within } from '../differential/comparing.ts';
import { told } from '../differential/telling.ts';
import type { Both } from './both.ts';
import { done } from './hands.ts';
import { type Side, seen } from './looking.ts';
import type { Story } from './story.ts';

type Sides = readonly [here: Side, there: Side];

/**
 * Each step on both servers, and after it all objects of both, until something is not the same that is not known. Each difference is
 * told once: when, where, here, there.
 */
export async function played(
  { ours, theirs }: Both,
  story: Story,
  isKnown: (finding: string) => boolean,
): Promise<readonly string[]> {
  const sides = await Promise.all([sideOf(ours, story), sideOf(theirs, story)]);
  const findings = new Map<string, string>();
  for (const step of story.steps) {
    const finding = (difference: string) => `${story.title} > ${step.do}\n${difference}`;
    const isNews = (each: string) => !findings.has(each) && !isKnown(finding(each));
    const failures = await stepped(sides, step);
    const { differences } = await atRest(() => compared(sides, story), isNews);
    const all = [...failures, ...differences];
    const isOver = all.some(isNews);
    for (const each of all) if (!findings.has(each)) findings.set(each, finding(each));
    if (isOver) break;
  }
  return [...findings.values()];
}

async function sideOf(stage: Stage, story: Story): Promise<Side> {
  return { stage, names: await placed(stage, story), hashes: new Map() };
}

/** Why it could not be done. */
async function stepped(sides: Sides, step: Step): Promise<readonly string[]> {
  const ends = await Promise.allSettled(sides.map(({ stage, names }) => done(stage, step, names)));
  return ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
}

type Look = { readonly all: string; readonly differences: readonly string[] };

async function compared([here, there]: Sides, { looks }: Story): Promise<Look> {
  const [ours, theirs] = await Promise.all([seen(here, looks), seen(there, looks)]);
  const differences = [...within(ours, theirs, '')].map((each) => told(undefined, each));
  return { all: JSON.stringify([ours, theirs]), differences };
}

/** Nothing has changed for so long. */
const restMs = 150;
/** What is not alike by then is not on its way. */
const patienceMs = 15_000;

/** When nothing is news any more, and both stay as they are. */
async function atRest(
  look: () => Promise<Look>,
  isNews: (difference: string) => boolean,
): Promise<Look> {
  const until = performance.now() + patienceMs;
  for (let before = ''; ; await sleep(restMs)) {
    const now = await look();
    const isAlike = !now.differences.some(isNews);
    if ((isAlike && now.all === before) || performance.now() > until) return now;
    before = now.all;
  }
}
