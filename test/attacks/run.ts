import type { Corpus } from './corpus.ts';
import type { Play, Stage, Vector } from './vector.ts';

/** `broken`: neither, since the play failed or the target gave no answer; no refusal is proven by it. */
export type Ending = {
  readonly kind: 'admitted' | 'refused' | 'broken';
  readonly said: string;
};

export type Played = {
  readonly name: string;
  readonly theme: string;
  readonly evil: Ending;
  readonly twin: Ending;
};

export type Result = {
  readonly played: readonly Played[];
  readonly vectors: number;
  readonly admitted: number;
  readonly twins: number;
  readonly twinsAdmitted: number;
  /** Attacks and twins whose play came to no answer. */
  readonly broken: number;
  readonly leftOut: readonly LeftOut[];
};

/** A vector that the target lacks something for. */
export type LeftOut = Required<Pick<Vector, 'name' | 'needs'>>;

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
    admitted: played.filter(({ evil }) => evil.kind === 'admitted').length,
    twins: played.length,
    twinsAdmitted: played.filter(({ twin }) => twin.kind === 'admitted').length,
    broken: played.flatMap(({ evil, twin }) => [evil, twin]).filter(isBroken).length,
    leftOut: vectors.flatMap((vector) => leftOutOf(vector, stage)),
  };
}

function isPlayable(vector: Vector, stage: Stage): boolean {
  return leftOutOf(vector, stage).length === 0;
}

function leftOutOf({ name, needs }: Vector, { put, cutOff }: Stage): readonly LeftOut[] {
  const has = { cluster: put !== undefined, database: cutOff !== undefined };
  return needs === undefined || has[needs] ? [] : [{ name, needs }];
}

async function playOne({ name, theme, evil, twin }: Vector, stage: Stage): Promise<Played> {
  return { name, theme, evil: await endingOf(evil, stage), twin: await endingOf(twin, stage) };
}

/** An API server would refuse where nobody answers, but that is no merit of the target's. */
async function endingOf(play: Play, stage: Stage): Promise<Ending> {
  try {
    const { admitted, said } = await play(stage);
    return { kind: admitted ? 'admitted' : 'refused', said };
  } catch (cause) {
    return { kind: 'broken', said: String(cause) };
  }
}

function isBroken({ kind }: Ending): boolean {
  return kind === 'broken';
}

export function isHeld({ admitted, twins, twinsAdmitted, broken }: Result): boolean {
  return admitted === 0 && twinsAdmitted === twins && broken === 0;
}

export function summary({ vectors, admitted, twins, twinsAdmitted }: Result): string {
  return `${vectors} vectors, admitted ${admitted}; ${twins} twins, admitted ${twinsAdmitted}`;
}

/** A line for each of the two that did not end as it has to. */
export function complaintsOf({ theme, name, evil, twin }: Played): readonly string[] {
  const lines = {
    admitted: [`ADMITTED  ${theme}: ${name}`],
    refused: [],
    broken: [`BROKEN    ${theme}: ${name}: ${evil.said}`],
  } as const;
  const twinLines = {
    admitted: [],
    refused: [`refused   ${theme}: the twin of ${name}: ${twin.said}`],
    broken: [`BROKEN    ${theme}: the twin of ${name}: ${twin.said}`],
  } as const;
  return [...lines[evil.kind], ...twinLines[twin.kind]];
}

const lacking = {
  cluster: "the target's cluster (--kubeconfig)",
  database: 'a database that can be cut off (--database-cut, --database-back)',
} as const;

/** One line; `undefined` where everything was played. */
export function leftOutLine({ leftOut }: Pick<Result, 'leftOut'>): string | undefined {
  if (leftOut.length === 0) return undefined;
  const each = leftOut.map(({ name, needs }) => `${name} (needs ${lacking[needs]})`);
  return `left out: ${each.join('; ')}`;
}
