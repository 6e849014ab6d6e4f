import { setImmediate } from 'node:timers/promises';
import type { Cluster } from '#shared/ports.ts';

/** Actors that share a cluster, of which one goes on at a time: each call waits twice, before it is made and before its answer is read. */
export type Gate = {
  /** The cluster, as the actor of that name sees it. */
  clusterOf(name: string): Cluster;
  /** Starts a run, and comes back when it stands at a call or has ended. */
  start(name: string, sinceMs: number, run: () => Promise<unknown>): Promise<void>;
  isBusy(name: string): boolean;
  /** Who stands at a call, and since when its run goes on. */
  waiting(): readonly { readonly name: string; readonly sinceMs: number }[];
  /** Lets one call of that actor go on, and comes back when it stands again or has ended. */
  step(name: string, pick: (count: number) => number): Promise<void>;
};

type Actor = {
  readonly calls: (() => void)[];
  sinceMs: number;
  runs: boolean;
  failure: unknown;
  stands: () => void;
};

export function openGate(cluster: Cluster): Gate {
  const actors = new Map<string, Actor>();
  const actorOf = (name: string): Actor => {
    const known = actors.get(name);
    if (known !== undefined) return known;
    const actor = { calls: [], sinceMs: 0, runs: false, failure: undefined, stands: () => {} };
    actors.set(name, actor);
    return actor;
  };
  const settled = async (actor: Actor): Promise<void> => {
    // What goes on outside a run (a listener that was called) needs no more than a turn.
    if (!actor.runs) await setImmediate();
    else if (actor.calls.length === 0) {
      await new Promise<void>((resolve) => {
        actor.stands = resolve;
      });
    }
    if (actor.failure !== undefined) throw actor.failure;
  };

  return {
    clusterOf: (name) => gated(cluster, actorOf(name)),
    async start(name, sinceMs, run) {
      const actor = actorOf(name);
      const end = (failure?: unknown) => {
        actor.runs = false;
        actor.failure = failure;
        actor.stands();
      };
      Object.assign(actor, { sinceMs, runs: true });
      run().then(() => end(), end);
      await settled(actor);
    },
    isBusy: (name) => actorOf(name).runs || actorOf(name).calls.length > 0,
    waiting: () =>
      [...actors]
        .filter(([, { calls }]) => calls.length > 0)
        .map(([name, { sinceMs }]) => ({ name, sinceMs })),
    async step(name, pick) {
      const actor = actorOf(name);
      const [call] = actor.calls.splice(pick(actor.calls.length), 1);
      if (call === undefined) throw new Error(`${name} stands at no call`);
      call();
      await settled(actor);
    },
  };
}

function gated(cluster: Cluster, actor: Actor): Cluster {
  const turn = () =>
    new Promise<void>((resolve) => {
      actor.calls.push(resolve);
      actor.stands();
    });
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    await turn();
    const answer = await call();
    await turn();
    return answer;
  };
  return {
    find: (...given) => through(() => cluster.find(...given)),
    async *list(...given) {
      await turn();
      const found = [];
      for await (const object of cluster.list(...given)) found.push(object);
      await turn();
      yield* found;
    },
    create: (...given) => through(() => cluster.create(...given)),
    replace: (...given) => through(() => cluster.replace(...given)),
    patch: (...given) => through(() => cluster.patch(...given)),
    apply: (...given) => through(() => cluster.apply(...given)),
    evict: (...given) => through(() => cluster.evict(...given)),
    delete: (...given) => through(() => cluster.delete(...given)),
  };
}
