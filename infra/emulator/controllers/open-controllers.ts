import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import type { Log } from '#shared/runtime/log.ts';
import { allControllers } from './all-controllers.ts';
import { users } from './frame/acting-as.ts';
import type { Controller, ControllerName, World } from './frame/controller.ts';
import { run } from './frame/run.ts';
import { openWorld } from './frame/world.ts';
import { type Faults, openFaults } from './kubelet/faults.ts';
import type { KubeletOptions } from './kubelet/options.ts';

export type ControllersOptions = {
  readonly login: Login;
  readonly log: Log;
  /** All of them where it is left out. A real cluster with its own controller manager has no need of most. */
  readonly only?: readonly ControllerName[];
  readonly kubelet?: KubeletOptions;
};

export type Controllers = {
  /** What the kubelet is told to fail. */
  readonly faults: Faults;
  close(): void;
};

/** Each kind that is followed holds a connection; requests share the rest. */
const maxSockets = 256;

/** Controllers, scheduler and kubelet as clients of the API server. Resolves when they know the cluster and work. */
export async function openControllers(options: ControllersOptions): Promise<Controllers> {
  const session = await openSession(options.login, { maxSockets });
  const ending = new AbortController();
  const world = await openWorld(session, { log: options.log, signal: ending.signal });
  const faults = openFaults();
  const chosen = allControllers({ kubelet: options.kubelet ?? {}, faults }).filter(
    ({ name }) => options.only?.includes(name) ?? true,
  );
  const queues = await started(chosen, world);
  return {
    faults,
    close() {
      ending.abort();
      for (const queue of queues) queue.close();
      session.close();
    },
  };
}

async function started(controllers: readonly Controller[], all: Omit<World, 'api' | 'report'>) {
  for (const { wakes, reads = [] } of controllers) {
    for (const { kind } of wakes.filter((each) => each.metadataOnly !== true)) all.shelf(kind);
    for (const kind of reads) all.shelf(kind);
  }
  const queues = controllers.map((controller) => {
    const world = all.as(users[controller.name]);
    return { controller, world, queue: run(controller, world) };
  });
  await all.synced();
  for (const { controller, world, queue } of queues) {
    controller.begin?.(world, (place) => queue.add(place, controller.settleMs));
    queue.start();
  }
  return queues.map(({ queue }) => queue);
}
