import { isDuration } from '#shared/domain/duration.ts';

const fields = [
  { low: 0, high: 59, names: [] },
  { low: 0, high: 23, names: [] },
  { low: 1, high: 31, names: [] },
  {
    low: 1,
    high: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { low: 0, high: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
] as const;

type Field = {
  readonly low: number;
  readonly high: number;
  readonly names: readonly string[];
};

const descriptors = [
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
] as const;

const every = '@every ';

/** What the real server's parser says of a schedule that it cannot read. */
export function scheduleComplaint(schedule: string): string | undefined {
  const spec = schedule.replace(/^(?:CRON_)?TZ=\S+\s+/, '');
  if (spec.startsWith('@')) return descriptorComplaint(spec);
  const parts = spec.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  return fields
    .flatMap((field, at) => (parts[at] ?? '').split(',').map((part) => partComplaint(part, field)))
    .find((complaint) => complaint !== undefined);
}

function descriptorComplaint(spec: string): string | undefined {
  if (descriptors.some((each) => each === spec)) return undefined;
  if (!spec.startsWith(every)) return `unrecognized descriptor: ${spec}`;
  const duration = spec.slice(every.length);
  if (isDuration(duration)) return undefined;
  const what = /\d$/.test(duration) ? 'missing unit in' : 'invalid';
  return `failed to parse duration ${spec}: time: ${what} duration ${JSON.stringify(duration)}`;
}

/** `*`, `a`, `a-b`, `a/step`, `a-b/step` */
function partComplaint(part: string, field: Field): string | undefined {
  const [range = '', step, ...moreSteps] = part.split('/');
  const [first = '', last, ...more] = range.split('-');
  if (more.length > 0) return `too many hyphens: ${part}`;
  if (moreSteps.length > 0) return `too many slashes: ${part}`;
  const isAny = first === '*' || first === '?';
  const [start, end] = [
    isAny ? field.low : amountOf(first, field),
    boundOf({ isAny, first, last, step }, field),
  ];
  if (typeof start === 'string') return start;
  if (typeof end === 'string') return end;
  const every = step === undefined ? 1 : amountOf(step, { ...field, names: [] });
  if (typeof every === 'string') return every;
  return rangeComplaint(part, { start, end, every }, field);
}

type Stated = {
  readonly isAny: boolean;
  readonly first: string;
  readonly last: string | undefined;
  readonly step: string | undefined;
};

function boundOf({ isAny, first, last, step }: Stated, field: Field): number | string {
  if (isAny) return field.high;
  if (last !== undefined) return amountOf(last, field);
  return step === undefined ? amountOf(first, field) : field.high;
}

type Range = { readonly start: number; readonly end: number; readonly every: number };

function rangeComplaint(
  part: string,
  { start, end, every }: Range,
  { low, high }: Field,
): string | undefined {
  if (start < low) return `beginning of range (${start}) below minimum (${low}): ${part}`;
  if (end > high) return `end of range (${end}) above maximum (${high}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return every === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

function amountOf(word: string, { low, names }: Field): number | string {
  const at = names.indexOf(word.toLowerCase());
  if (at !== -1) return at + low;
  if (/^\d+$/.test(word)) return Number(word);
  return /^-\d+$/.test(word)
    ? `negative number (${word}) not allowed: ${word}`
    : `failed to parse int from ${word}: strconv.Atoi: parsing ${JSON.stringify(word)}: invalid syntax`;
}
