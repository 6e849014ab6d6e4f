import type { Corpus } from './corpus.ts';
import type { Outcome, Play, Stage, Vector } from './vector.ts';

export type Played = {
  readonly name: string;
  readonly theme: string;
  readonly evil: Outcome;
  readonly twin: Outcome;
};

export type Result = {
  readonly played: readonly Played[];
  readonly vectors: number;
  readonly admitted: number;
  readonly twins: number;
  readonly twinsAdmitted: number;
  /** By name: the target lacks what they need. */
  readonly leftOut: readonly string[];
};

/** One after the other, the attack first: what it leaves behind is part of it. */
export async function playAll(
  { vectors }: Pick<Corpus, 'vectors'>,
  stage: Stage,
  told: (played: Played) => void = () => {},
): Promise<Result> {
  const played: Played[] = [];
  const playable = vectors.filter((vector) => isPlayable(vector, stage));
  for (const vector of playable) {
    const each = await playOne(vector, stage);
    told(each);
    played.push(each);
  }
  return {
    played,
    vectors: played.length,
    admitted: played.filter(({ evil }) => evil.admitted).length,
    twins: played.length,
    twinsAdmitted: played.filter(({ twin }) => twin.admitted).length,
    leftOut: vectors.filter((vector) => !playable.includes(vector)).map(({ name }) => name),
  };
}

function isPlayable({ needs }: Vector, { put, cutOff }: Stage): boolean {
  if (needs === 'cluster') return put !== undefined;
  return needs !== 'database' || cutOff !== undefined;
}

async function playOne({ name, theme, evil, twin }: Vector, stage: Stage): Promise<Played> {
  return { name, theme, evil: await outcomeOf(evil, stage), twin: await outcomeOf(twin, stage) };
}

/** A target that does not answer admits nobody: with `Fail`, as the last word is registered. */
async function outcomeOf(play: Play, stage: Stage): Promise<Outcome> {
  try {
    const { admitted, said } = await play(stage);
    return { admitted, said };
  } catch (cause) {
    return { admitted: false, said: `it does not answer: ${String(cause)}` };
  }
}

export function isHeld({ admitted, twins, twinsAdmitted }: Result): boolean {
  return admitted === 0 && twinsAdmitted === twins;
}

export function summary({ vectors, admitted, twins, twinsAdmitted }: Result): string {
  return `${vectors} vectors, admitted ${admitted}; ${twins} twins, admitted ${twinsAdmitted}`;
}
