import type { Buried, Depth, Queue, Redriven, Taken } from './queue.ts';

/** Dead letters that lie elsewhere than on the queue. */
export type AlsoBuried = Pick<Queue, 'listDead' | 'redrive' | 'purgeDead'> & {
  /** How many there are, by their functions. */
  count(): Promise<ReadonlyMap<string, number>>;
};

export type Elsewhere = {
  /** What their ids begin with here: they say where one lies. */
  readonly mark: string;
  readonly buried: AlsoBuried;
};

/** The queue, and behind its own dead letters those that could not be handed to it. */
export function alsoBuried(queue: Queue, { mark, buried: others }: Elsewhere): Queue {
  const marked = <T extends { readonly id: string }>(each: T): T => ({
    ...each,
    id: `${mark}${each.id}`,
  });
  const isMarked = (id: string): boolean => id.startsWith(mark);
  const unmarked = (id: string): string => id.slice(mark.length);
  const split = (buried: Buried): { readonly own: Buried; readonly other: Buried } =>
    'function' in buried
      ? { own: buried, other: buried }
      : {
          own: buried.filter((id) => !isMarked(id)),
          other: buried.filter(isMarked).map(unmarked),
        };
  const markedMissing = <T extends Taken>(taken: T): T => ({
    ...taken,
    missing: taken.missing.map((id) => `${mark}${id}`),
  });

  return {
    ...queue,
    async listDead({ after, max, ...which }) {
      const isBehind = after !== undefined && isMarked(after);
      const own = isBehind
        ? []
        : await queue.listDead({ ...which, max, ...(after === undefined ? {} : { after }) });
      const room = max - own.length;
      if (room === 0) return own;
      const from = isBehind ? { after: unmarked(after) } : {};
      const more = await others.listDead({ ...which, ...from, max: room });
      return [...own, ...more.map(marked)];
    },
    async redrive(buried) {
      const { own, other } = split(buried);
      const { stuck, ...taken } = markedMissing(await others.redrive(other));
      return both({ ...taken, stuck: stuck.map(marked) }, await queue.redrive(own));
    },
    async purgeDead(buried) {
      const { own, other } = split(buried);
      const taken = markedMissing(await others.purgeDead(other));
      return sum(taken, await queue.purgeDead(own));
    },
    async depth(functions) {
      const own = await queue.depth(functions);
      const dead = await others.count();
      const nobody = functions === undefined ? [...dead.keys()] : [];
      const strange = nobody.filter((name) => !own.some((each) => each.function === name));
      return [...own, ...strange.map(emptyOf)].map((each) => ({
        ...each,
        dead: each.dead + (dead.get(each.function) ?? 0),
      }));
    },
  };
}

function emptyOf(name: string): Depth {
  return { function: name, waiting: 0, inFlight: 0, dead: 0, oldestSeconds: 0 };
}

function sum(one: Taken, other: Taken): Taken {
  return { count: one.count + other.count, missing: [...one.missing, ...other.missing] };
}

function both(one: Redriven, other: Redriven): Redriven {
  return { ...sum(one, other), stuck: [...one.stuck, ...other.stuck] };
}
