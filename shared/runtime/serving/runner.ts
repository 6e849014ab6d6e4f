import { objectChanged, periodElapsed, type Wake } from '#events/kinds.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { runCondition } from '../conditions.ts';
import { post } from '../invoke/knative.ts';
import { type OwnWrites, openOwnWrites } from '../own-writes.ts';
import { type Ran, runOnce } from '../reconcile.ts';
import type { RunWake } from '../worker/working.ts';
import type { House } from './house.ts';

type Given = Parameters<RunWake>[2];

/** Runs a function in this process, or where the settings say that it runs. */
export function openRunner(house: House): RunWake {
  const { config, conditions } = house;
  const ownWrites = openOwnWrites();
  return async (definition, wake, given) => {
    const url = config.current().worker.services[definition.name];
    const ran =
      url === undefined
        ? await runHere(definition, wake, { house, ownWrites, ...given })
        : await runThere(definition, wake, { house, url, ...given });
    // Of what objects wake, one that fails says little of the function; one that we cut short says nothing.
    const isTelling = wake.kind === 'period' && !given.stopped.aborted;
    if (isTelling && ran.kind !== 'undecodable') {
      conditions.report(runCondition(definition.name, ran));
    }
    return ran;
  };
}

function runHere(
  definition: ReconcileFunction,
  wake: Wake,
  {
    house,
    ownWrites,
    id,
    stopped,
  }: Given & { readonly house: House; readonly ownWrites: OwnWrites },
): Promise<Ran> {
  const { wiring, log, metrics } = house;
  return runOnce(definition, wake, {
    ports: ownWrites.noting(definition.name, wiring.portsOf(definition)),
    live: () => ownWrites.noting(definition.name, wiring.livePortsOf(definition)),
    isOwnWrite: ownWrites.isOwn(definition.name, id),
    eventId: id,
    log,
    meter: metrics.runMeter,
    stopped,
  });
}

async function runThere(
  definition: ReconcileFunction,
  wake: Wake,
  { house, url, id, attempt, stopped }: Given & { readonly house: House; readonly url: string },
): Promise<Ran> {
  const { config, log, metrics } = house;
  const { name, deadlineMs } = definition;
  const { eventMode: mode } = config.current().worker;
  const { name: type } = wake.kind === 'object' ? objectChanged : periodElapsed;
  const began = performance.now();
  const ran = await post(
    { id, type, data: wake, attempt },
    { url, mode, deadlineMs, stopped, log },
  );
  metrics.runMeter.reconciled(name, ran.kind, performance.now() - began);
  return ran;
}
