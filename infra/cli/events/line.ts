import type { Happening } from '#shared/runtime/happening.ts';
import type { Style, Terminal } from '../output.ts';
import { plain } from '../queue/table.ts';
import { kindOf } from './filter.ts';

type Paint = Terminal['paint'];
type Run = Happening & { readonly kind: 'run' };
type Review = Happening & { readonly kind: 'review' };
type Event = Happening & { readonly kind: 'event' };

/** For people: when, what, and of whom. */
export function lineOf(happening: Happening, paint: Paint): string {
  const time = paint('dim', plain(happening.at.slice(11, 23)));
  return `${[time, ...wordsOf(happening, paint)].join('  ')}\n`;
}

function wordsOf(happening: Happening, paint: Paint): readonly string[] {
  switch (happening.kind) {
    case 'event':
      return event(happening, paint);
    case 'run':
      return run(happening, paint);
    case 'review':
      return review(happening, paint);
  }
}

const width = 10;

function event({ change, object, wakes, objects }: Event, paint: Paint): readonly string[] {
  if (objects !== undefined) {
    const found = paint('dim', `${objects} wake nobody`);
    return [paint('cyan', change.padEnd(width)), kindOf(object), found];
  }
  const woken = wakes.length === 0 ? paint('dim', 'wakes nobody') : `→ ${plain(wakes.join(', '))}`;
  return [paint('cyan', change.padEnd(width)), place(object), woken];
}

const styles: Readonly<Record<string, Style>> = {
  done: 'green',
  retry: 'yellow',
  conflict: 'yellow',
  'given-back': 'yellow',
  'give-up': 'red',
  undecodable: 'red',
};

function run(line: Run, paint: Paint): readonly string[] {
  const { outcome, function: name, object, why, ms, waitedMs, attempt } = line;
  const tried = attempt === 0 ? '' : `, ${attempt} failed before`;
  return [
    paint(styles[outcome] ?? 'cyan', plain(outcome).padEnd(width)),
    paint('bold', plain(name)),
    object === undefined ? 'its period' : place(object),
    paint('dim', `${Math.round(ms)} ms after ${Math.round(waitedMs)} ms${tried}`),
    ...(why === undefined ? [] : [plain(why)]),
  ];
}

const verdicts: Readonly<Record<Review['answered'], Style>> = {
  allow: 'green',
  patch: 'green',
  deny: 'red',
  'left-out': 'dim',
  failed: 'red',
};

function review(line: Review, paint: Paint): readonly string[] {
  const { answered, function: name, operation, object, why, ms } = line;
  return [
    paint(verdicts[answered], answered.padEnd(width)),
    paint('bold', plain(name)),
    `${operation.toLowerCase()} ${place(object)}`,
    paint('dim', `${ms.toFixed(1)} ms`),
    ...(why === undefined ? [] : [plain(why)]),
  ];
}

/** A set has no name. */
function place(object: Event['object']): string {
  const { namespace, name } = object;
  const kind = kindOf(object);
  if (name === '') return namespace === '' ? `all ${kind}` : `all ${kind} of ${plain(namespace)}`;
  return `${kind} ${plain(namespace === '' ? name : `${namespace}/${name}`)}`;
}
