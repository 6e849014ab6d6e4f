import { ahead, pageNotFound, type Refusal, refusal, tooOld } from './refusal.ts';
import { idOf } from './served-kinds.ts';
import type { Collection, Follower } from './store/collection.ts';
import type { Pace } from './watching/watch-output.ts';

export type Verb =
  | 'discovery'
  | 'get'
  | 'list'
  /** A list of one object's metadata. */
  | 'version'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'other';

/** Which requests a fault is for; all of them where nothing is said. */
export type Aim = {
  readonly verb?: Verb;
  /** `pods`, `deployments.apps` */
  readonly resource?: string;
  readonly group?: string;
  /** By the name of whoever asks. */
  readonly isMeant?: (user: string) => boolean;
  /** So many that fit are let through first. */
  readonly after?: number;
  /** It is over after so many; until it is taken off where left out. */
  readonly times?: number;
};

export type Asked = {
  readonly verb: Verb;
  readonly resource: string | undefined;
  readonly group: string | undefined;
};

/** What a request gets instead of its answer. */
export type Instead =
  | { readonly kind: 'refusal'; readonly refusal: Refusal }
  /** A watch that is opened, says this, and ends. */
  | { readonly kind: 'event'; readonly status: object }
  | { readonly kind: 'empty' }
  /** The connection breaks before anything is answered. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'silence' };

export type Off = () => void;

export type No = {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfter?: number;
};

const old = tooOld('too old resource version: 1 (2)');

export type Faults = ReturnType<typeof openFaults>;

export function openFaults(
  collections: () => Iterable<Collection>,
  /** What a watch may be behind where no fault says so: as much as is remembered. */
  mostBehind = Number.POSITIVE_INFINITY,
) {
  let pace: Pace | undefined;
  let token: string | undefined;
  return {
    ...requestFaults(),
    ...watchFaults(collections),
    /** Only this token is known from here on; `undefined`: whoever asks. */
    requireToken: (only: string | undefined) => {
      token = only;
    },
    refusesToken: (header: string | undefined) =>
      token !== undefined && header !== `Bearer ${token}`,
    /** Watches trickle, in chunks that respect no border of lines or letters. */
    slow: (next: Pace | undefined) => {
      pace = next;
    },
    pace: () => pace,
    mostBehind: () => pace?.mostBehind ?? mostBehind,
  };
}

/** Of watches that are open, of one resource or of all. */
function watchFaults(collections: () => Iterable<Collection>) {
  /** Returns how many that were. */
  const toAll =
    (act: (follower: Follower) => void) =>
    (resource?: string, isMeant: (user: string) => boolean = () => true): number => {
      const meant = [...collections()]
        .filter(({ kind }) => resource === undefined || idOf(kind) === resource)
        .flatMap((each) => each.followers())
        .filter(({ user = '' }) => isMeant(user));
      meant.forEach(act);
      return meant.length;
    };
  /** Those that a fault keeps from hearing anything. */
  const silenced = new WeakSet<Follower>();
  const silence = (act: (follower: Follower) => void) => (follower: Follower) => {
    silenced.add(follower);
    act(follower);
  };
  return {
    /** Ends those that are kept silent: whoever has them opens others, and hears of all that it missed. */
    endSilence: () => {
      for (const each of [...collections()].flatMap((kind) => kind.followers())) {
        if (silenced.has(each)) each.end('closed');
      }
    },
    /** Ends them in good order, as a server does that drains. */
    dropWatches: toAll((follower) => follower.end('closed')),
    /** Resets their connections. */
    cutWatches: toAll((follower) => follower.end('cut')),
    /** The next thing that each is told arrives by half. */
    cutInLine: toAll((follower) => follower.cutInLine()),
    /** They hear of it so much later, if they are of one of those users. */
    holdWatches: (ms: number, isMeant: (user: string) => boolean, resource?: string) =>
      toAll(silence((follower) => follower.hold(ms)))(resource, isMeant),
    /** They fall silent for good, and stay connected. */
    halfOpen: toAll(silence((follower) => follower.freeze())),
  };
}

function requestFaults() {
  const rules = new Set<Rule>();
  const on = (aim: Aim, instead: Instead): Off => {
    const { times = Number.POSITIVE_INFINITY, after = 0 } = aim;
    const rule = { aim, instead, left: times, passing: after };
    rules.add(rule);
    return () => void rules.delete(rule);
  };
  const refuseWith = (aim: Aim, refusal: Refusal) => on(aim, { kind: 'refusal', refusal });
  return {
    /** 401, 403, 404, 429, 5xx, … */
    refuse: (aim: Aim, { retryAfter, ...no }: No): Off =>
      refuseWith(aim, refusal(no.code, no, retryAfter)),
    /** The version is too old, said in one of the three ways in which servers say it. */
    gone(shape: 'status' | 'event' | 'empty', aim: Aim = {}): Off {
      const watches = { ...aim, verb: 'watch' as const };
      if (shape === 'status') return refuseWith(watches, { code: 410, body: old });
      return on(watches, shape === 'event' ? { kind: 'event', status: old } : { kind: 'empty' });
    },
    /** A proxy in front of the server that knows no such page, and says so in the words of Go's own, as API servers do. */
    lostByProxy: (aim: Aim = {}): Off => refuseWith(aim, pageNotFound),
    /** `Too large resource version`: as a replica that lags behind. */
    lag: (aim: Aim = {}): Off => refuseWith(aim, ahead(2, 1)),
    /** An aggregated API whose server is dead: the group is listed, and nothing in it answers. */
    deadGroup: (group: string): Off =>
      refuseWith({ group }, { code: 503, body: 'service unavailable\n' }),
    /** Takes the request and never answers. */
    silence: (aim: Aim = {}): Off => on(aim, { kind: 'silence' }),
    /** Breaks the connection before anything is answered. */
    cut: (aim: Aim = {}): Off => on(aim, { kind: 'cut' }),
    /** Takes all of them back. */
    refuseNothing: () => rules.clear(),
    /** Whether it counts who asks: to find that out takes a while. */
    knowsUsers: () => [...rules].some(({ aim }) => aim.isMeant !== undefined),
    /** What this request gets instead. */
    take(asked: Asked, user = ''): Instead | undefined {
      const rule = [...rules].find(
        (each) => isAimedAt(each.aim, asked) && (each.aim.isMeant?.(user) ?? true) && isDue(each),
      );
      if (rule === undefined) return undefined;
      rule.left -= 1;
      if (rule.left <= 0) rules.delete(rule);
      return rule.instead;
    },
  };
}

type Rule = { readonly aim: Aim; left: number; passing: number; readonly instead: Instead };

function isDue(rule: Rule): boolean {
  if (rule.passing === 0) return true;
  rule.passing -= 1;
  return false;
}

function isAimedAt({ verb, resource, group }: Aim, asked: Asked): boolean {
  return (
    (verb === undefined || verb === asked.verb) &&
    (resource === undefined || resource === asked.resource) &&
    (group === undefined || group === asked.group)
  );
}
