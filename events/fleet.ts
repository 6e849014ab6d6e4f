import type { Buried, Outgoing, Queue, Sender } from './queue.ts';
import type { Schedule } from './schedule.ts';

/** One database serves a fleet: in its queue each function goes by its cluster's name as well, and nobody runs another's. */
export type Fleet = {
  sender(sender: Sender): Sender;
  queue(queue: Queue): Queue;
  schedule(schedule: Schedule): Schedule;
};

/** What a cluster's functions begin with. Names of functions have no slash. */
export function prefixOf(cluster: string): string {
  return `${cluster}/`;
}

export function fleetOf(cluster: string): Fleet {
  const prefix = prefixOf(cluster);
  const within = (name: string): string => prefix + name;
  // A cluster's name may begin with another one's.
  const isOwn = ({ function: name }: Named): boolean =>
    name.startsWith(prefix) && !name.includes('/', prefix.length);
  const own = <T extends Named>(each: T): T => ({
    ...each,
    function: each.function.slice(prefix.length),
  });
  // All that are the cluster's own, the queue knows by the prefix that it was opened with.
  const buriedWithin = (buried: Buried): Buried =>
    'function' in buried && buried.function !== undefined
      ? { function: within(buried.function) }
      : buried;
  const outgoing = (message: Outgoing): Outgoing => ({
    ...message,
    function: within(message.function),
  });
  return {
    sender: ({ send }) => ({ send: (messages) => send(messages.map(outgoing)) }),
    schedule: ({ add, setPeriods, drop, hasten, depth, peek, moveDue }) => ({
      add: (wakeups) => add(wakeups.map((each) => ({ ...each, message: outgoing(each.message) }))),
      setPeriods: (periods) =>
        setPeriods(periods.map((each) => ({ ...each, message: outgoing(each.message) }))),
      drop: (name) => drop(within(name)),
      hasten: (name) => hasten(within(name)),
      depth: async () => (await depth()).filter(isOwn).map(own),
      peek: async (name, max) => (await peek(within(name), max)).map(own),
      moveDue,
    }),
    queue: (queue) => ({
      ...queue,
      send: (messages) => queue.send(messages.map(outgoing)),
      receive: async (receiving) =>
        (await queue.receive({ ...receiving, functions: receiving.functions.map(within) })).map(
          own,
        ),
      depth: async (functions) =>
        (await queue.depth(functions?.map(within))).filter(isOwn).map(own),
      peek: async (name, max) => (await queue.peek(within(name), max)).map(own),
      listDead: async ({ function: name, ...listing }) =>
        (
          await queue.listDead({
            ...listing,
            ...(name === undefined ? {} : { function: within(name) }),
          })
        )
          .filter(isOwn)
          .map(own),
      redrive: (buried) => queue.redrive(buriedWithin(buried)),
      purgeDead: (buried) => queue.purgeDead(buriedWithin(buried)),
      purge: (name) => queue.purge(within(name)),
    }),
  };
}

type Named = { readonly function: string };
