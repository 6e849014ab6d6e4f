import type { Receiving } from '../queue.ts';
import { queueName } from './addresses.ts';
import type { Ailing } from './ailing.ts';
import { type Received, type Sqs, visibilitySeconds } from './sqs.ts';
import type { Timing } from './timing.ts';

/** A message that SQS hides from everybody else until then. */
export type Claimed = Received & { readonly function: string; readonly untilMs: number };

export type Claiming = {
  readonly function: string;
  readonly visibilityMs: number;
  readonly waitSeconds: number;
};

export type Source = {
  readonly sqs: Sqs;
  readonly prefix: string;
  readonly timing: Timing;
  readonly ailing: Ailing;
};

/**
 * One message a call: asked for ten, SQS gives several of one group, and those that wait for the first would be
 * received again and again without being run, until they are buried as crashed.
 */
export async function claim(
  { sqs, prefix, timing, ailing }: Source,
  { function: name, visibilityMs, waitSeconds }: Claiming,
): Promise<Claimed | undefined> {
  const how = { max: 1, visibilityMs, waitSeconds };
  try {
    const [received] = await sqs.receive(queueName(prefix, name), how);
    ailing.answered(name);
    if (received === undefined) return undefined;
    const untilMs = timing.now() + visibilitySeconds(visibilityMs) * 1_000;
    return { ...received, function: name, untilMs };
  } catch (cause: unknown) {
    // What other queues handed over at the same time is not lost by that.
    ailing.failed(name, cause);
    return undefined;
  }
}

/** So many calls for each message of the turn before. */
const callsFor = 2;

/** What there is, never more than asked for, the functions in turn. */
export async function sweep(
  source: Source,
  { functions, max, visibilityMs }: Pick<Receiving, 'functions' | 'max' | 'visibilityMs'>,
): Promise<readonly Claimed[]> {
  const claimed: Claimed[] = [];
  let unasked = functions;
  // Whose the last ones were. Each may have a second one behind it: every call costs, and most messages come alone.
  let rich: readonly string[] = [];
  while (claimed.length < max && unasked.length + rich.length > 0) {
    const room = max - claimed.length;
    const turn =
      unasked.length > 0
        ? unasked.slice(0, room)
        : shared(rich, Math.min(room, callsFor * rich.length));
    const got = await Promise.all(
      turn.map((name) => claim(source, { function: name, visibilityMs, waitSeconds: 0 })),
    );
    const found = got.filter((each) => each !== undefined);
    claimed.push(...found);
    rich = [...(unasked.length > 0 ? rich : []), ...found.map((each) => each.function)];
    unasked = unasked.slice(room);
  }
  return claimed;
}

/** So many calls, shared between them. */
function shared(names: readonly string[], calls: number): readonly string[] {
  return Array.from({ length: calls }, (_, at) => names[at % names.length] ?? '');
}
