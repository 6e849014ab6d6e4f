import type { Dead, Stuck } from '#events/queue.ts';
import type { Terminal } from '../output.ts';
import type { FullDepth, Next } from './looking.ts';
import { age, plain, table } from './table.ts';
import type { Owner } from './use.ts';

type Paint = Terminal['paint'];

export function ownerText(of: Owner): string {
  return 'cluster' in of ? `of cluster ${plain(of.cluster)}` : `of ${plain(of.prefix)}* on SQS`;
}

export function depthTable(depths: readonly FullDepth[], paint: Paint): string {
  if (depths.length === 0) return 'nothing is on the queue, and nothing is scheduled\n';
  const rows = depths.map(
    ({ function: name, waiting, inFlight, dead, oldestSeconds, ...ahead }) => [
      name,
      String(waiting),
      String(inFlight),
      dead === 0 ? '0' : paint('red', String(dead)),
      waiting === 0 ? '-' : age(oldestSeconds),
      String(ahead.scheduled),
      ahead.nextSeconds === undefined ? '-' : due(ahead.nextSeconds),
    ],
  );
  const heads = ['FUNCTION', 'WAITING', 'IN FLIGHT', 'DEAD', 'OLDEST', 'SCHEDULED', 'NEXT'];
  return table(heads, rows, paint);
}

export function waitingTable(
  functionName: string,
  messages: readonly Next[],
  paint: Paint,
): string {
  if (messages.length === 0) return `nothing that can be shown waits for ${functionName}\n`;
  const rows = messages.map((each) => [
    each.reason === undefined ? age(each.waitedMs / 1_000) : '-',
    stateOf(each, paint),
    each.reason === undefined ? String(each.received) : '-',
    plain(each.type),
    plain(each.group),
    plain(each.eventId),
  ]);
  return table(['WAITED', 'STATE', 'RECEIVED', 'TYPE', 'GROUP', 'EVENT'], rows, paint);
}

function stateOf({ reason, attempt = 0, dueMs = 0, inFlight }: Next, paint: Paint): string {
  if (reason === undefined) return inFlight ? paint('green', 'in flight') : 'waiting';
  const tried = attempt === 0 ? '' : `, tried ${attempt}x`;
  return paint('yellow', `${reason} ${due(dueMs / 1_000)}${tried}`);
}

function due(seconds: number): string {
  return seconds === 0 ? 'due' : `in ${age(Math.ceil(seconds))}`;
}

export function deadTable(dead: readonly Dead[], paint: Paint, after?: string): string {
  if (dead.length === 0 && after !== undefined) return `nothing is buried behind ${plain(after)}\n`;
  if (dead.length === 0) return paint('green', 'nothing is buried\n');
  const rows = dead.map((each) => [
    plain(each.id),
    each.buriedAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    plain(each.function),
    String(each.received),
    plain(each.group),
    paint('red', plain(each.why)),
  ]);
  return table(['ID', 'BURIED', 'FUNCTION', 'RECEIVED', 'GROUP', 'WHY'], rows, paint);
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Of those that were named: what nobody has buried, or somebody has taken away since. */
export function missingWords(missing: number): string {
  if (missing === 0) return '';
  return `; ${counted(missing, 'message')} ${missing === 1 ? 'is' : 'are'} not buried (any more)`;
}

/** They stay buried, each for a reason of its own. */
export function stuckWords(stuck: readonly Stuck[]): string {
  if (stuck.length === 0) return '';
  const lines = stuck.map(({ id, why }) => `\n  ${plain(id)}: ${why}`);
  return `; ${counted(stuck.length, 'message')} cannot come back:${lines.join('')}`;
}
