import type { Registry } from 'prom-client';
import type { Told } from '#events/forwarder/told.ts';
import type { Log } from '../log.ts';
import { type LeftOut, openSparing } from '../sparing.ts';
import { type Counters, openCounters } from './counters.ts';
import { openFollowing } from './following.ts';
import { openLag } from './lag.ts';
import { reportOf } from './reporting.ts';
import { openSilence } from './silence.ts';

export type Teller = {
  tell(told: Told): void;
  /** Whether every one of these is being watched, by us or by whoever has its term; of what nobody serves, nothing is missed. */
  isFollowing(scopes: readonly string[]): boolean;
  /** Only these are followed from now on: of the others nothing is waited for any more. */
  keepOnly(scopes: readonly string[]): void;
  /** A log line for each scope that is ours. */
  report(): Promise<void>;
};

type Telling = {
  readonly log: Log;
  readonly registry: Registry;
  readonly now: () => number;
  readonly idleMs: number;
};

/** What the forwarder does, as log lines and metrics. */
export function openTeller({ log, registry, now, idleMs }: Telling): Teller {
  const count = openCounters(registry);
  const lag = openLag(registry, now);
  const silence = openSilence(registry, now);
  const following = openFollowing({ now, idleMs });
  const ends = openEnds(count);
  const logged = openLogged(log, now);
  return {
    isFollowing: (scopes) => scopes.every(following.has),
    tell(told) {
      following.hear(told);
      silence.hear(told);
      lag.hear(told);
      ends(told);
      counted(told, count);
      logged(told);
    },
    async report() {
      for (const scope of silence.scopes()) {
        const lagSeconds = lag.secondsOf(scope);
        const moment = { scope, lagSeconds, silentSeconds: silence.secondsOf(scope) };
        log.info(await reportOf(moment, count), 'how far this scope is');
      }
    },
    keepOnly(scopes) {
      following.keepOnly(scopes);
      for (const scope of silence.scopes().filter((each) => !scopes.includes(each))) {
        silence.forget(scope);
        lag.forget(scope);
      }
    },
  };
}

const endsWatch: readonly Told['kind'][] = ['watch-ended', 'listing', 'took-over'];

/** While nothing is watched, a deletion is only concluded: from a list, or from the absence of the kind. */
function openEnds({ gone }: Counters): (told: Told) => void {
  const watched = new Set<string>();
  return (told) => {
    const { scope } = told;
    if (told.kind === 'watching') watched.add(scope);
    if (endsWatch.includes(told.kind)) watched.delete(scope);
    if (told.kind !== 'committed' || watched.has(scope)) return;
    gone.inc({ scope }, told.plan.happened.filter(({ type }) => type === 'deleted').length);
  };
}

function counted(told: Told, count: Counters): void {
  const { scope } = told;
  switch (told.kind) {
    case 'committed':
      for (const { type } of told.plan.happened) count.events.inc({ scope, change: type });
      break;
    case 'listing':
      count.lists.inc({ scope });
      break;
    case 'watch-ended':
      count.reconnects.inc({ scope, how: told.how });
      break;
    case 'refused-line':
      count.refused.inc({ scope });
      break;
    case 'unsent':
      count.unsent.inc({ scope });
      break;
    case 'failed':
      count.failures.inc({ scope });
      break;
    case 'audited':
      count.audits.inc({ scope });
      break;
    case 'lost':
      count.lost.inc({ scope }, told.count);
      break;
    default:
  }
}

/** References and reasons only: what the objects hold may be secret. */
function openLogged(log: Log, now: () => number): (told: Told) => void {
  const levelOf = openLevels();
  const leftOutBefore = openOddities(now);
  return (told) => {
    const level = levelOf(told);
    const leftOut = leftOutBefore(told);
    if (level === undefined || leftOut === undefined) return;
    log[level]({ ...fieldsOf(told), ...leftOut }, lines[told.kind]?.text ?? '');
  };
}

function openLevels(): (told: Told) => keyof Log | undefined {
  const forbidden = new Set<string>();
  return ({ kind, scope }) => {
    if (kind === 'forbidden') forbidden.add(scope);
    const line = lines[kind];
    if (line === undefined) return undefined;
    // The wait that follows from it, and no other.
    const isForbidden = forbidden.delete(scope) && kind === 'waiting';
    return isForbidden ? 'error' : line.level;
  };
}

/** They come as often as somebody changes an odd object. */
const isOfObject: ReadonlySet<Told['kind']> = new Set(['refused-line', 'unsent']);

function openOddities(now: () => number): (told: Told) => LeftOut | undefined {
  const spare = openSparing({ now });
  return (told) => (isOfObject.has(told.kind) ? spare(JSON.stringify(told)) : {});
}

function fieldsOf({ kind: _, ...told }: Told): Readonly<Record<string, unknown>> {
  const rounded = 'ms' in told ? { ms: Math.round(told.ms) } : {};
  const { cause, ...fields } = { cause: undefined, ...told, ...rounded };
  return cause === undefined ? fields : { ...fields, err: cause };
}

type Logged = { readonly level: keyof Log; readonly text: string };

/** Not those that come with every batch. */
const lines: Readonly<Record<Told['kind'], Logged | undefined>> = {
  begun: undefined,
  heard: undefined,
  looked: undefined,
  committed: undefined,
  'standing-by': { level: 'debug', text: 'another forwarder writes this scope; standing by' },
  'took-over': { level: 'info', text: 'writing this scope' },
  fenced: { level: 'warn', text: 'another forwarder took over' },
  listing: { level: 'info', text: 'comparing with a whole list' },
  listed: { level: 'info', text: 'the list is complete' },
  'refused-page': { level: 'warn', text: 'waiting before a page of the list is asked for again' },
  'woke-existing': { level: 'info', text: 'a function was woken for all that exists' },
  watching: { level: 'debug', text: 'watching' },
  'watch-ended': { level: 'debug', text: 'the watch ended' },
  'refused-line': { level: 'error', text: 'a line could not be read' },
  unsent: { level: 'error', text: 'a wake-up cannot be sent, and is dropped' },
  // With the wait for it, which says for how long.
  forbidden: undefined,
  waiting: { level: 'warn', text: 'waiting before the API server is asked again' },
  failed: { level: 'warn', text: 'the forwarder failed, and begins again from its cursor' },
  absent: { level: 'info', text: 'nobody serves this kind; waiting for it' },
  'new-epoch': { level: 'warn', text: 'another history of the cluster has begun' },
  audited: { level: 'debug', text: 'compared with a list of names and versions' },
  unaudited: {
    level: 'warn',
    text: 'the list to compare with came to nothing; waiting for the next self-audit',
  },
  lost: { level: 'error', text: 'the self-audit found what nobody told of, and healed it' },
};
