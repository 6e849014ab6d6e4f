import type { Controller, World } from './controller.ts';
import { type KeyedQueue, openQueue } from './queue.ts';

/** What fails once or twice is the everyday life of many writers; what goes on is worth a line. */
const quietTimes = 4;

/** Joins one controller to the shelves: changes wake places, woken places are reconciled. */
export function run(controller: Controller, world: World): KeyedQueue {
  const { name, settleMs = 0, workers = 8 } = controller;
  const queue = openQueue({
    workers,
    run: (place) => controller.reconcile(place, world),
    onFailure(place, why, times) {
      const level = times > quietTimes ? 'warn' : 'debug';
      world.log[level]({ controller: name, place, why, times }, 'has to be done again');
    },
  });
  for (const { kind, metadataOnly, places } of controller.wakes) {
    const shelf = metadataOnly === true ? world.metadataOf(kind) : world.shelf(kind);
    shelf.onChange(({ before, after }) => {
      const woken = new Set([
        ...(before === undefined ? [] : places(before, world)),
        ...(after === undefined ? [] : places(after, world)),
      ]);
      for (const place of woken) queue.add(place, settleMs);
    });
  }
  return queue;
}
