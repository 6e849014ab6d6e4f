import { scopeName } from '#shared/domain/watched.ts';
import { openAudit } from './audit.ts';
import { follow } from './follow.ts';
import { type Followed, fingerprintOf } from './followed.ts';
import { indexesOf } from './indexes.ts';
import { openTurns, type Turns } from './turns.ts';
import type { World } from './world.ts';

export type Forwarder = {
  /** What is to be followed from now on. Loops that stay the same are not touched. */
  set(followed: readonly Followed[]): Promise<void>;
  stop(): Promise<void>;
};

type Loop = { readonly fingerprint: string; stop(): Promise<void> };

/** One loop a scope. */
export function openForwarder(world: World): Forwarder {
  const turns = openTurns(world);
  const loops = new Map<string, Loop>();
  let settled: Promise<void> = Promise.resolve();

  async function change(followed: readonly Followed[]): Promise<void> {
    const wanted = new Map(followed.map((each) => [scopeName(each.scope), each]));
    const over = [...loops].filter(([name, { fingerprint }]) => {
      const next = wanted.get(name);
      return next === undefined || fingerprint !== fingerprintOfLoop(next);
    });
    await Promise.all(over.map(([, loop]) => loop.stop()));
    for (const [name] of over) loops.delete(name);
    for (const [name, each] of wanted) {
      if (loops.has(name)) continue;
      world.tell({ kind: 'begun', scope: name });
      loops.set(name, begin(each, { world, turns }));
    }
  }

  /** One after another: an end that overtook a change would leave the change's loops behind. */
  function set(followed: readonly Followed[]): Promise<void> {
    settled = settled.then(() => change(followed));
    return settled;
  }

  return { set, stop: () => set([]) };
}

type Beginning = { readonly world: World; readonly turns: Turns };

function begin(followed: Followed, { world, turns }: Beginning): Loop {
  const ended = new AbortController();
  const audit = openAudit(world, turns);
  const running = follow(followed, { world, audit }, ended.signal);
  return {
    fingerprint: fingerprintOfLoop(followed),
    async stop() {
      ended.abort();
      await running;
      audit.end();
    },
  };
}

function fingerprintOfLoop(followed: Followed): string {
  const { scope, subscriptions, isOfSets } = followed;
  const names = subscriptions.map((each) => each.function);
  const triggers = fingerprintOf(subscriptions);
  return JSON.stringify([scope, names, triggers, indexesOf(followed), isOfSets]);
}
