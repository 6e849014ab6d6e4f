import { timeText } from '../conditions.ts';
import { isDue, type Moment, type Schedule } from './schedule.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** A line like `0 0 30 2 *` is never due. */
const furthest = 5 * 366 * day;

export type Clockwork = { readonly schedule: Schedule; readonly timeZone: string };

/** The first time after `since` at which it is due; `undefined` where there is none. */
export function nextDue({ schedule, timeZone }: Clockwork, since: number): number | undefined {
  if (schedule.kind === 'every') return since - (since % 1_000) + schedule.ms;
  const clock = clockIn(timeZone);
  let at = Math.floor(since / minute) * minute + minute;
  for (const end = since + furthest; at < end; ) {
    const moment = clock(at);
    if (isDue(schedule, moment)) return at;
    at += leap(schedule.fields, moment);
  }
  return undefined;
}

/** Not minute by minute where a whole hour or day cannot be. */
function leap(
  [minutes, hours]: Extract<Schedule, { kind: 'calendar' }>['fields'],
  moment: Moment,
): number {
  const toNextHour = (60 - moment.minute) * minute;
  if (!hours.has(moment.hour)) return toNextHour;
  return [...minutes].some((each) => each > moment.minute) ? minute : toNextHour;
}

/** Between two times, the first of them left out. */
export type Span = { readonly since: number; readonly until: number };

/** How often it was due, and when last. It is counted to a bound, since a clock may have stood for years. */
export function missedDue(
  clockwork: Clockwork,
  { since, until }: Span,
): { readonly last: number | undefined; readonly count: number } {
  let last: number | undefined;
  let count = 0;
  let at = nextDue(clockwork, since);
  while (at !== undefined && at <= until && count <= mostMissed) {
    last = at;
    count += 1;
    at = nextDue(clockwork, at);
  }
  return count > mostMissed
    ? { last: lastDue(clockwork, { since, until }), count }
    : { last, count };
}

/** More than these the controller tells of. */
export const mostMissed = 100;

/** Looked for from behind, in spans that grow. */
function lastDue(clockwork: Clockwork, { since, until }: Span): number | undefined {
  const { schedule } = clockwork;
  if (schedule.kind === 'every') return until - ((until - since) % schedule.ms);
  let from = until;
  let at: number | undefined;
  for (let span = minute; at === undefined && from > since; span *= 2) {
    from = Math.max(since, until - span);
    at = dueWithin(clockwork, { since: from, until });
  }
  for (let next = at; next !== undefined; next = dueWithin(clockwork, { since: next, until })) {
    at = next;
  }
  return at;
}

function dueWithin(clockwork: Clockwork, { since, until }: Span): number | undefined {
  const at = nextDue(clockwork, since);
  return at !== undefined && at <= until ? at : undefined;
}

function clockIn(timeZone: string): (at: number) => Moment {
  if (timeZone === 'UTC') return utcClock;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', weekday: 'short', month: 'numeric' },
    ...{ day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const number = (part: Intl.DateTimeFormatPartTypes) => Number(parts.get(part));
    return {
      minute: number('minute'),
      hour: number('hour'),
      day: number('day'),
      month: number('month'),
      weekday: weekdays.indexOf(parts.get('weekday') ?? ''),
    };
  };
}

/** As Go writes a time that is somewhere: `2030-01-01T01:00:00+01:00`. */
export function zonedText(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const [, sign = '', hours = '', minutes = ''] =
    /GMT([+-])(\d\d):(\d\d)$/.exec(format.format(at)) ?? [];
  const offsetMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * minute;
  if (offsetMs === 0) return timeText(at);
  return timeText(at + offsetMs).replace('Z', `${sign}${hours}:${minutes}`);
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function utcClock(at: number): Moment {
  const date = new Date(at);
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
}
