import type { Admitting } from '../../parts.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Said, Verdict } from './answer.ts';
import { askedBy } from './asked.ts';
import { asked as askedOf, type Calling, type Prepared, prepared } from './calling.ts';
import type { Hook } from './hook.ts';
import { isExempt } from './matching.ts';
import { type Heard, silence, withSaid } from './outcome.ts';
import { callFailed, deniedBy } from './refusing.ts';

/** All at once; the first that refuses is the answer, but each is waited for. */
export async function validated(
  what: Admitting,
  hooks: readonly Hook[],
  calling: Calling,
): Promise<Heard | Refusal> {
  const asked = askedBy(what);
  if (isExempt(asked)) return silence;
  const calls: Prepared[] = [];
  for (const hook of hooks) {
    const call = await prepared(hook, asked, calling);
    if (isRefusal(call)) return call;
    if (call !== undefined) calls.push(call);
  }
  const settled: { readonly hook: Hook; readonly result: Said | Refusal }[] = [];
  const settle = async (call: Prepared) => {
    const { hook } = call.called;
    settled.push({ hook, result: resultOf(hook, await askedOf(call, calling)) });
  };
  await Promise.all(calls.map(settle));
  const refused = settled.map(({ result }) => result).find(isRefusal);
  return refused ?? settled.reduce(heardAfter, silence);
}

function heardAfter(heard: Heard, { hook, result }: { hook: Hook; result: Said | Refusal }): Heard {
  return isRefusal(result) ? heard : withSaid(heard, hook, result);
}

const nothing: Said = { warnings: [], annotations: {} };

function resultOf(hook: Hook, verdict: Verdict | Refusal): Said | Refusal {
  if (isRefusal(verdict)) return verdict;
  switch (verdict.kind) {
    case 'allowed':
      return verdict.said;
    case 'denied':
      return deniedBy(hook.name, verdict.status, verdict.said.warnings);
    case 'failed':
      return hook.isIgnored ? nothing : callFailed(hook.name, verdict.why);
  }
}
