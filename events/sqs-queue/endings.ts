import type { Queue } from '../queue.ts';
import { queueName } from './addresses.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Held, Ledger } from './ledger.ts';
import type { Bodies } from './outbox.ts';
import { type Sqs, visibilitySeconds } from './sqs.ts';
import type { Timing } from './timing.ts';

export type EndingParts = {
  readonly sqs: Sqs;
  readonly prefix: string;
  readonly timing: Timing;
  readonly ledger: Ledger;
  readonly bodies: Bodies;
  readonly dead: DeadLetters;
};

/** Time enough to put a message aside before anybody else gets it. */
const buryingMs = 60_000;

export function endingsOn(
  parts: EndingParts,
): Pick<Queue, 'extend' | 'settle' | 'release' | 'bury'> {
  const { sqs, prefix, timing, ledger } = parts;
  const queueOf = (held: Held): string => queueName(prefix, held.function);

  const extend = async (receipt: string, visibilityMs: number): Promise<boolean> => {
    const held = ledger.find(receipt);
    if (held === undefined) return false;
    const untilMs = timing.now() + visibilitySeconds(visibilityMs) * 1_000;
    const isOurs = await sqs.hide(queueOf(held), held.handle, visibilityMs);
    // It may have been settled meanwhile, and stays so.
    const isStillHeld = ledger.take(receipt) !== undefined;
    if (isOurs && isStillHeld) ledger.hold(receipt, { ...held, untilMs });
    return isOurs && isStillHeld;
  };

  return {
    extend,
    settle: (receipts) => settle(parts, receipts),
    async release(receipt) {
      const held = ledger.find(receipt);
      if (held === undefined) return false;
      const isOurs = await sqs.hide(queueOf(held), held.handle, 0);
      ledger.take(receipt);
      return isOurs;
    },
    async bury(receipt, why) {
      if (!(await extend(receipt, buryingMs))) return false;
      const held = ledger.find(receipt);
      if (held === undefined) return false;
      await parts.dead.bury(held, why);
      ledger.take(receipt);
      return (await sqs.delete(queueOf(held), [held.handle]))[0] ?? false;
    },
  };
}

async function settle(
  parts: EndingParts,
  receipts: readonly string[],
): Promise<readonly boolean[]> {
  const { ledger, bodies } = parts;
  const held = receipts.flatMap((receipt, at) => {
    const each = ledger.take(receipt);
    return each === undefined ? [] : [{ ...each, receipt, at }];
  });
  try {
    const answers = await deleteAll(parts, { held, count: receipts.length });
    const done = held.filter((each) => answers[each.at] && isBodyOver(each));
    if (done.length > 0) await bodies.drop(done.map(({ enveloped }) => enveloped.id));
    return answers;
  } catch (cause: unknown) {
    // They are still ours, and may be tried again.
    for (const { receipt, at: _, ...each } of held) ledger.hold(receipt, each);
    throw cause;
  }
}

/**
 * What was received before may have been buried by somebody whose deletion was lost: a letter names its body, which
 * goes with what is swept out of the outbox.
 */
function isBodyOver({ enveloped, received }: Held): boolean {
  return enveloped.body.kind === 'kept' && received === 1;
}

type Asked = { readonly held: readonly (Held & { readonly at: number })[]; readonly count: number };

async function deleteAll(
  { sqs, prefix }: EndingParts,
  { held, count }: Asked,
): Promise<readonly boolean[]> {
  const answers = Array.from({ length: count }, () => false);
  for (const [name, ours] of Map.groupBy(held, (each) => each.function)) {
    const handles = ours.map(({ handle }) => handle);
    const deleted = await sqs.delete(queueName(prefix, name), handles);
    ours.forEach(({ at }, index) => {
      answers[at] = deleted[index] ?? false;
    });
  }
  return answers;
}
