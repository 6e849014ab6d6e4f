import { describe, expect, it } from 'vitest';
import { complaintsOf, isHeld, leftOutLine, playAll, summary } from './run.ts';
import type { Outcome, Stage, Vector } from './vector.ts';

// None of the plays here asks anybody.
const outside = undefined as unknown as Stage['outside'];
const nobody: Stage = { outside, admit: () => Promise.reject(new Error('answers 500')) };

const refused: Outcome = { admitted: false, said: 'it is not signed' };
const admitted: Outcome = { admitted: true, said: '' };

const unanswered = { namespace: { name: '', labels: {}, annotations: {} }, object: {} };

function vector(name: string, stated: Partial<Vector> = {}): Vector {
  const plays = { evil: async () => refused, twin: async () => admitted };
  return { name, theme: 'one', namespaces: [], ...plays, ...stated };
}

describe('what became of the attacks', () => {
  it('is held where each attack was refused and each twin was not', async () => {
    const result = await playAll({ vectors: [vector('a')] }, nobody);
    expect(isHeld(result)).toBe(true);
    expect(result.played.flatMap(complaintsOf)).toEqual([]);
    expect(summary(result)).toBe('1 vectors, admitted 0; 1 twins, admitted 1');
  });

  it('is not held where an attack got no answer: that is no refusal', async () => {
    const evil: Vector['evil'] = ({ admit }) => admit(unanswered);
    const result = await playAll({ vectors: [vector('a', { evil })] }, nobody);
    expect(result).toMatchObject({ admitted: 0, twinsAdmitted: 1, broken: 1 });
    expect(isHeld(result)).toBe(false);
    expect(result.played.flatMap(complaintsOf)).toEqual(['BROKEN    one: a: Error: answers 500']);
  });

  it('is not held where a twin is broken, refused, or an attack is admitted', async () => {
    const twin: Vector['twin'] = ({ admit }) => admit(unanswered);
    const bad = [
      vector('a', { twin }),
      vector('b', { twin: async () => refused }),
      vector('c', { evil: async () => admitted }),
    ];
    for (const each of bad) expect(isHeld(await playAll({ vectors: [each] }, nobody))).toBe(false);
    const { played } = await playAll({ vectors: bad }, nobody);
    expect(played.flatMap(complaintsOf)).toEqual([
      'BROKEN    one: the twin of a: Error: answers 500',
      'refused   one: the twin of b: it is not signed',
      'ADMITTED  one: c',
    ]);
  });

  it('names what was left out and what it needs, in one line', async () => {
    const vectors = [
      vector('a'),
      vector('b', { needs: 'cluster' }),
      vector('c', { needs: 'database' }),
    ];
    const result = await playAll({ vectors }, nobody);
    expect(result.vectors).toBe(1);
    expect(leftOutLine(result)).toBe(
      "left out: b (needs the target's cluster (--kubeconfig)); c (needs a database that can be cut off (--database-cut, --database-back))",
    );
    expect(leftOutLine({ leftOut: [] })).toBeUndefined();
  });
});
