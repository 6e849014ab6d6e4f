import type { Judgement } from './judgement.ts';
import type { TrustRules } from './rules.ts';

const strength: Readonly<Record<Judgement['kind'], number>> = {
  untrusted: 3,
  unavailable: 2,
  trusted: 1,
  allowed: 0,
};

/**
 * Of several verifiers. `all`: invalid beats unavailable beats valid. `either`: one that vouches is enough; else one
 * that could not be asked might have vouched.
 */
export function mergeJudgements(
  judgements: readonly [Judgement, ...Judgement[]],
  need: TrustRules['need'],
): Judgement {
  const [first, ...rest] = judgements;
  const better = need === 'all' ? worst : best;
  return rest.reduce(better, first);
}

function worst(one: Judgement, other: Judgement): Judgement {
  if (one.kind === 'trusted' && other.kind === 'trusted') return together(one, other);
  return strength[other.kind] > strength[one.kind] ? other : one;
}

function best(one: Judgement, other: Judgement): Judgement {
  const rank = ({ kind }: Judgement) => ['untrusted', 'unavailable', 'trusted'].indexOf(kind);
  if (one.kind === 'untrusted' && other.kind === 'untrusted') {
    return { ...one, note: `${one.note}; ${other.note}` };
  }
  return rank(other) > rank(one) ? other : one;
}

type Trusted = Extract<Judgement, { kind: 'trusted' }>;

/** Both hold for the shorter of their times. */
function together(one: Trusted, other: Trusted): Judgement {
  const until = one.until < other.until ? one.until : other.until;
  return { ...one, until, remarks: [...new Set([...one.remarks, ...other.remarks])] };
}
