import { setImmediate as breath } from 'node:timers/promises';
import type { Definition, ReconcileFunction } from '#shared/define.ts';
import { openOwnWrites } from '#shared/runtime/own-writes.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { openOutages } from '#shared/runtime/worker/outage.ts';
import { startWorker, type Worker } from '#shared/runtime/worker/worker.ts';
import type { RunWake } from '#shared/runtime/worker/working.ts';
import { observed } from '../ports-seen.ts';
import type { Ground } from './ground.ts';
import { membersOfShelf } from './members.ts';
import type { Life } from './mortal.ts';
import { portsOn } from './ports.ts';
import { queueFor } from './worker-queue.ts';

export const visibilityMs = 30_000;

type Dying = { readonly life: Life; readonly onDeath: () => void };

/** Production's worker on the queue in memory. */
export function workingOn(
  ground: Ground,
  definitions: readonly Definition[],
  dying: Dying,
): Worker {
  const { queue, time, troubles, schedule, planned, log } = ground;
  const functions = definitions
    .filter((each): each is ReconcileFunction => each.shape === 'reconcile')
    .map((each) => observed(each, ground.diary));
  return startWorker({
    queue: queueFor({ queue, time, life: dying.life, troubles, visibilityMs }),
    schedule: {
      async add(wakeups) {
        if (dying.life.isOver) return;
        planned.add(wakeups);
        await schedule.add(wakeups);
      },
    },
    outages: openOutages({ name: 'queue', conditions: nobody, log, random: half }),
    run: runnerOn(ground, dying),
    members: membersOfShelf(ground.shelf, time.now),
    functions: () => functions,
    groups: ground.settings.current().worker.groups,
    visibilityMs,
    random: half,
    log,
    told: () => {},
  });
}

/** Runs that follow each other by microtasks alone would never let go of the process: no timer of a test's own would end them. */
const breathEvery = 100;

async function breathed({ diary }: Ground): Promise<void> {
  if ((diary.decisions.length + 1) % breathEvery === 0) await breath();
}

const nobody = { report: () => {} };

function half(): number {
  return 0.5;
}

/** Production's run, and what a platform does to it. */
function runnerOn(ground: Ground, { life, onDeath }: Dying): RunWake {
  const { time, troubles, held, log } = ground;
  const ports = portsOn(ground, life);
  const ownWrites = openOwnWrites(time.now);
  return async (definition, wake, { id, stopped }) => {
    await breathed(ground);
    if (troubles.cold.delete(definition.name)) await held.around(time.pause(troubles.coldMs));
    const late = new AbortController();
    const cancel = time.after(definition.deadlineMs, () => late.abort());
    const once = () =>
      runOnce(definition, wake, {
        ports: ownWrites.noting(definition.name, ports.usual(definition)),
        live: () => ownWrites.noting(definition.name, ports.live(definition)),
        isOwnWrite: ownWrites.isOwn(definition.name, id),
        eventId: id,
        log,
        stopped: AbortSignal.any([stopped, late.signal]),
      });
    const isTwin = troubles.twins > 0;
    if (isTwin) troubles.twins -= 1;
    const [ran] = await Promise.all([once(), ...(isTwin ? [once()] : [])]);
    cancel();
    if (troubles.deaths > 0 && !life.isOver) {
      troubles.deaths -= 1;
      onDeath();
    }
    return ran;
  };
}
