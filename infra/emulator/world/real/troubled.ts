import { setTimeout as sleep } from 'node:timers/promises';
import { type Refusal, refused } from '#shared/adapters/cluster/failure.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { Outcome } from '#shared/domain/outcome.ts';
import type { Cluster, Ports, Write } from '#shared/ports.ts';
import type { Verb } from '../faults/verbs.ts';
import { idOf } from '../known-kinds.ts';
import type { Rules } from '../memory/rules.ts';
import type { Troubles } from '../memory/troubles.ts';
import type { Reported } from '../reports.ts';
import type { Reversing } from './reversing.ts';

export type Surroundings = {
  readonly rules: Rules;
  readonly troubles: Troubles;
  /** In the place of what reports elsewhere; where it is left out, that is kept. */
  readonly reported?: Reported;
  /** What the world's clock is ahead of the machine's. */
  readonly aheadMs: () => number;
  /** Runs that are under way. */
  readonly running: { count: number };
  readonly reversing: Reversing;
  /** What serves: it can be killed, and starts anew. */
  readonly process: Mortal;
};

/** How what serves is killed; one death at a time. */
export type Mortal = { restart: () => Promise<void>; dying?: Promise<void> | undefined };

/** Nobody hears of how a run ended whose process has died. */
const never = new Promise<never>(() => undefined);

function die(process: Mortal): Promise<never> {
  process.dying ??= process.restart().finally(() => {
    process.dying = undefined;
  });
  return never;
}

/** The function as production's worker runs it, with what goes wrong around it. */
export function troubled(definition: ReconcileFunction, around: Surroundings): ReconcileFunction {
  const { troubles, running, reversing } = around;
  return {
    ...definition,
    async handler(wake, ports, run) {
      const once = async () => definition.handler(wake, portsIn(ports, around), run);
      running.count += 1;
      const leave = troubles.isReversed ? await reversing.enter() : () => {};
      try {
        if (troubles.cold.delete(definition.name)) await sleep(troubles.coldMs);
        const outcome = await asOftenAs(troubles, once);
        if (troubles.deaths === 0) return outcome;
      } finally {
        leave();
        running.count -= 1;
      }
      troubles.deaths -= 1;
      return die(around.process);
    },
  };
}

async function asOftenAs(troubles: Troubles, once: () => Promise<Outcome>): Promise<Outcome> {
  const twice = twiceBy(troubles);
  const [outcome] = await Promise.all([once(), ...(twice === 'at-once' ? [once()] : [])]);
  return twice === 'afterwards' ? once() : outcome;
}

function twiceBy(troubles: Troubles): 'at-once' | 'afterwards' | undefined {
  if (troubles.twins > 0) {
    troubles.twins -= 1;
    return 'at-once';
  }
  if (troubles.again === 0) return undefined;
  troubles.again -= 1;
  return 'afterwards';
}

function portsIn(ports: Ports, { rules, troubles, reported, aheadMs }: Surroundings): Ports {
  const now = () => new Date(Date.now() + aheadMs() + troubles.skewMs);
  return {
    ...ports,
    ...(ports.clock === undefined ? {} : { clock: { now } }),
    ...(ports.conditions === undefined ? {} : { conditions: (reported ?? ports).conditions }),
    ...(ports.measures === undefined ? {} : { measures: (reported ?? ports).measures }),
    ...(ports.cluster === undefined ? {} : { cluster: failing(ports.cluster, rules) }),
  };
}

/** Requests of functions alone: what the test itself asks is never refused. */
function failing(cluster: Cluster, rules: Rules): Cluster {
  const read = <T>(verb: Verb, kind: Kind, answer: () => Promise<T>): Promise<T> =>
    met(rules, { verb, kind, answer, refusedAs: throwing });
  const write = (verb: Verb, kind: Kind, answer: () => Promise<Write>): Promise<Write> =>
    met(rules, { verb, kind, answer, refusedAs: writeRefused });
  return {
    find: (target) => read('get', target.kind, () => cluster.find(target)),
    async *list(kind, options) {
      await read('list', kind, async () => undefined);
      yield* cluster.list(kind, options);
    },
    create: (kind, ...given) => write('create', kind, () => cluster.create(kind, ...given)),
    replace: (to, ...given) => write('update', to.kind, () => cluster.replace(to, ...given)),
    patch: (to, ...given) => write('patch', to.kind, () => cluster.patch(to, ...given)),
    apply: (to, ...given) => write('patch', to.kind, () => cluster.apply(to, ...given)),
    evict: (to, ...given) => write('create', to.kind, () => cluster.evict(to, ...given)),
    delete: (to, ...given) => write('delete', to.kind, () => cluster.delete(to, ...given)),
  };
}

type Meeting<T> = {
  readonly verb: Verb;
  readonly kind: Kind;
  readonly answer: () => Promise<T>;
  readonly refusedAs: (what: string, refusal: Refusal) => T;
};

async function met<T>(rules: Rules, { verb, kind, answer, refusedAs }: Meeting<T>): Promise<T> {
  const instead = rules.take({ verb, resource: idOf(kind) });
  const what = `${verb} ${kind.resource}`;
  switch (instead?.kind) {
    case 'refused':
      return refusedAs(what, { status: instead.received.status });
    case 'slow':
      await sleep(instead.ms);
      return answer();
    case 'answer-lost':
      await answer();
      throw new Error(`cannot ${what}: no answer`);
    case undefined:
      return answer();
  }
}

const why = 'by a fault of the emulator';

function throwing(what: string, refusal: Refusal): never {
  throw refused(what, why, refusal);
}

/** As the adapter understands the server's answers. */
function writeRefused(what: string, { status }: Refusal): Write {
  if (status === 404) return { kind: 'not-found' };
  if (status === 409) return { kind: 'conflict', why };
  if (status === 429) return { kind: 'busy', why, afterSeconds: 1 };
  return throwing(what, { status });
}
