import type { AdmissionFunction } from '#shared/define.ts';
import { answerReview } from '#shared/runtime/admission/answer-review.ts';
import { openEnvelope } from '#shared/runtime/admission/envelope.ts';
import { gathered } from '#shared/runtime/admission/gathered.ts';
import { openRecall } from '#shared/runtime/admission/recall.ts';
import { textFor } from '#shared/runtime/admission/unread.ts';
import { type Staged, stage } from '#test/support/admission.ts';

const pods = '/mutate/pods';

/** What would be answered by memory and what without, and how often somebody had to decide. */
export async function recalling(stated: Staged) {
  let decided = 0;
  const functions = stated.functions.map(
    (definition): AdmissionFunction => ({
      ...definition,
      handler(...given) {
        decided += 1;
        return definition.handler(...given);
      },
    }),
  );
  const staged = await stage({ ...stated, functions });
  const recall = openRecall(staged.host);
  const entry = (path = pods) => {
    const found = staged.desk.at(path, () => []);
    if (found === undefined) throw new Error('nobody answers');
    return found;
  };
  const call = () => ({ started: performance.now(), timeout: '10s' });
  return {
    ...staged,
    async answer(body: Buffer, path?: string): Promise<string> {
      return recall({ entry: entry(path), body: gathered([body]), call: call() });
    },
    /** By all of the body, or by what is read of it. */
    async anew(body: Buffer, read: 'all' | 'as-read' = 'all'): Promise<string> {
      const before = decided;
      const of = read === 'all' ? body.toString() : textFor(entry(), gathered([body]));
      const text = await answerReview(openEnvelope(of), entry(), staged.host, call());
      decided = before;
      return text;
    },
    decided: () => decided,
  };
}
