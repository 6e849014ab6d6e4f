import type { Dice } from '../dice.ts';
import type { Step } from '../step.ts';
import { type Subject, subjects } from '../subjects.ts';
import type { Chooser } from './chooser.ts';
import { below } from './parts.ts';
import { applied, jsonPatched, merged, strategic } from './patches.ts';
import { got, listed, watched } from './reads.ts';
import { definition } from './stories/definitions.ts';
import { duel } from './stories/duel.ts';
import { following, paging } from './stories/lists.ts';
import { eviction, later } from './stories/pods.ts';
import { questions } from './stories/questions.ts';
import { strange } from './strange.ts';
import { made, plainlyMade, removed, removedAll, updated } from './writes.ts';

const longest = 9;

/** A story that somebody has thought of, or what comes. */
export function sequenceOf(dice: Dice, among?: readonly Subject[]): readonly Step[] {
  if (among !== undefined || dice.chance(0.65)) return life(dice, among ?? subjects);
  return dice.weighed<(dice: Dice) => readonly Step[]>([
    [4, duel],
    [3, definition],
    [2, paging],
    [2, following],
    [2, later],
    [2, eviction],
    [2, questions],
  ])(dice);
}

/** A life of one or two objects of a kind, as a client that makes some mistakes leads it. */
function life(dice: Dice, among: readonly Subject[]): readonly Step[] {
  const subject = dice.weighed(among.map((each) => [each.weight, each] as const));
  const chooser = { subject, dice };
  const first = dice.weighed([
    [7, [plainlyMade(chooser)]],
    [2, [made(chooser)]],
    [1, []],
  ]);
  const others = Array.from({ length: 3 + dice.below(longest - 3) }, () => next(chooser));
  return [...first, ...others];
}

function next(chooser: Chooser): Step {
  return chooser.dice.weighed<(of: Chooser) => Step>([
    [3, made],
    [4, updated],
    [3, merged],
    [3, strategic],
    [3, jsonPatched],
    [6, applied],
    [4, got],
    [3, listed],
    [1, watched],
    [3, removed],
    [1, removedAll],
    [4, below],
    [2, strange],
  ])(chooser);
}
