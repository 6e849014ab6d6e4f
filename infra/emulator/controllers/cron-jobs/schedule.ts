import { parseDuration } from '#shared/domain/duration.ts';

/** When a cron line is due. Minutes, hours, days of the month, months, days of the week, as sets. */
export type Schedule =
  | {
      readonly kind: 'calendar';
      readonly fields: readonly [Field, Field, Field, Field, Field];
      /** Both days are stated: either will do. */
      readonly eitherDay: boolean;
    }
  | { readonly kind: 'every'; readonly ms: number };

type Field = ReadonlySet<number>;

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

type Bounds = { readonly least: number; readonly most: number; readonly names?: readonly string[] };

const bounds: readonly [Bounds, Bounds, Bounds, Bounds, Bounds] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: months },
  { least: 0, most: 6, names: days },
];

const every = '@every ';

/** `undefined` where it is none. */
export function parseSchedule(text: string): Schedule | undefined {
  if (text.startsWith(every)) return parseEvery(text.slice(every.length));
  const parts = (macros[text.trim()] ?? text.trim()).split(/\s+/);
  const fields = bounds.map((each, at) => parseField(parts[at] ?? '', each));
  const [minute, hour, day, month, weekday] = fields;
  if (parts.length !== 5 || !minute || !hour || !day || !month || !weekday) return undefined;
  const isStated = (at: number) => !/^[*?]/.test(parts[at] ?? '');
  return {
    kind: 'calendar',
    fields: [minute, hour, day, month, weekday],
    eitherDay: isStated(2) && isStated(4),
  };
}

/** Whole seconds, and one at least. */
function parseEvery(text: string): Schedule | undefined {
  const ms = parseDuration(text);
  if (ms === undefined) return undefined;
  return { kind: 'every', ms: Math.max(1_000, ms - (ms % 1_000)) };
}

function parseField(text: string, bounds: Bounds): Field | undefined {
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const range = parsePart(part, bounds);
    if (range === undefined) return undefined;
    const [first, last, step] = range;
    for (let number = first; number <= last; number += step) numbers.add(number);
  }
  return numbers;
}

type Range = readonly [first: number, last: number, step: number];

function parsePart(part: string, { least, most, names = [] }: Bounds): Range | undefined {
  const match = /^(?:[*?]|(?<from>\w+)(?:-(?<to>\w+))?)(?:\/(?<step>\d+))?$/.exec(part);
  if (match === null) return undefined;
  const { from, to, step: stated } = match.groups ?? {};
  const step = Number(stated ?? 1);
  if (from === undefined) return step > 0 ? [least, most, step] : undefined;
  const first = numberOf(from, names, least);
  // `5/15` goes on to the end, `5` does not.
  const alone = stated === undefined ? first : most;
  const last = to === undefined ? alone : numberOf(to, names, least);
  const isRange = first >= least && last <= most && first <= last && step > 0;
  return isRange ? [first, last, step] : undefined;
}

function numberOf(text: string, names: readonly string[], least: number): number {
  const at = names.indexOf(text.toLowerCase());
  if (at !== -1) return at + least;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

export function isDue(
  { fields, eitherDay }: Extract<Schedule, { kind: 'calendar' }>,
  at: Moment,
): boolean {
  const [minutes, hours, days, months, weekdays] = fields;
  const [inMonth, inWeek] = [days.has(at.day), weekdays.has(at.weekday)];
  const isDay = eitherDay ? inMonth || inWeek : inMonth && inWeek;
  return minutes.has(at.minute) && hours.has(at.hour) && months.has(at.month) && isDay;
}

/** On the clock of some place. */
export type Moment = {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
};
