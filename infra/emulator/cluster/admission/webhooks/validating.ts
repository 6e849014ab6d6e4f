import type { Admitting } from '../../parts.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Said, Verdict } from './answer.ts';
import { askedBy } from './asked.ts';
import { asked as askedOf, type Calling, type Prepared, prepared } from './calling.ts';
import type { Hook } from './hook.ts';
import { isExempt } from './matching.ts';
import { type Heard, silence, withSaid } from './outcome.ts';
import { afterWarnings, callFailed, deniedBy } from './refusing.ts';

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
  const settled: Settled[] = [];
  const settle = async (call: Prepared) => {
    const { hook } = call.called;
    settled.push({ hook, ...resultOf(hook, await askedOf(call, calling)) });
  };
  await Promise.all(calls.map(settle));
  const heard = settled.reduce((all, { hook, said }) => withSaid(all, hook, said), silence);
  const refused = settled.find(({ refusal }) => refusal !== undefined)?.refusal;
  return refused === undefined ? heard : afterWarnings(refused, heard.warnings);
}

/** What was said is told whoever refuses. */
type Result = { readonly said: Said; readonly refusal?: Refusal };
type Settled = Result & { readonly hook: Hook };

const nothing: Said = { warnings: [], annotations: {} };

function resultOf(hook: Hook, verdict: Verdict | Refusal): Result {
  if (isRefusal(verdict)) return { said: nothing, refusal: verdict };
  switch (verdict.kind) {
    case 'allowed':
      return { said: verdict.said };
    case 'denied':
      return { said: verdict.said, refusal: deniedBy(hook.name, verdict.status) };
    case 'failed':
      return hook.isIgnored
        ? { said: nothing }
        : { said: nothing, refusal: callFailed(hook.name, verdict.why) };
  }
}
