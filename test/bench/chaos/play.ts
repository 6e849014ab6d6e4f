import { setTimeout as after } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import { hasSettled, noticed } from './noticed.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { type Scene, until, wallMs } from './world.ts';

export type Plan<On extends Scene> = {
  readonly faults: readonly Fault<On>[];
  /** Writes a second. */
  readonly perSecond: number;
  /** Of the ledger; the faults go round until there were so many. At least each once. */
  readonly events: number;
  readonly relabelMs: number;
  readonly onFault?: (name: string) => void;
};

export type Outcome = {
  readonly verdict: Verdict;
  readonly faults: number;
  /** Of the ledger, while it was written to. */
  readonly eventsPerSecond: number;
  /** From the last write until everything had been run. */
  readonly settledMs: number;
};

/** Writes go on while one fault after another is made; then everything has to come to rest. */
export async function play<On extends Scene>(world: On, plan: Plan<On>): Promise<Outcome> {
  const { waits, checker } = world;
  // From here on everything is followed.
  await noticed(world);
  const [writing, began] = [write(world, plan), performance.now()];
  let count = 0;
  for (; count < plan.faults.length || checker.counts.events < plan.events; count += 1) {
    const fault = plan.faults[count % plan.faults.length];
    if (fault === undefined) break;
    plan.onFault?.(fault.name);
    await make(fault, world).catch((cause: unknown) => {
      throw new Error(`it goes no further than "${fault.name}"`, { cause });
    });
    writing.check();
  }
  await writing.stop();
  const eventsPerSecond = (checker.counts.events * 1_000) / (performance.now() - began);
  await rush(world);
  await world.traffic.written();
  const from = performance.now();
  await settled(world);
  const settledMs = performance.now() - from;
  // Whatever is still to come would be one too many.
  await after(waits.momentMs);
  world.drain();
  return { verdict: verdictOf(checker), faults: count, eventsPerSecond, settledMs };
}

/** With a deletion and a change in the midst of it, which nothing else tells of. */
async function make<On extends Scene>(fault: Fault<On>, world: On): Promise<void> {
  const { traffic, waits } = world;
  const [ending, changing] = [traffic.mark(), traffic.mark()];
  await after(waits.momentMs);
  const seenUpTo = (await fault.before?.(world)) ?? wallMs();
  const acting = fault.act(world, seenUpTo);
  // It is waited for below, also where it fails meanwhile.
  acting.catch(() => {});
  await after(waits.momentMs / 2);
  ending.end();
  changing.change();
  await acting;
}

/** Whoever is behind is waited for as long as he runs anything: late is not lost. */
async function settled(scene: Scene): Promise<void> {
  const { checker, waits } = scene;
  for (let runs = -1; checker.counts.runs > runs; ) {
    runs = checker.counts.runs;
    if (await until(() => hasSettled(scene), waits.patienceMs)) return;
  }
}

/** The last words on everything, some of them while the ones before are being worked on. */
async function rush({ traffic, drain }: Scene): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    traffic.touchAll();
    drain();
    await after(3 * tickMs);
  }
}

const tickMs = 10;

type Pace = { readonly perSecond: number; readonly relabelMs: number };

/** At an even pace, however late the timers are. */
function write({ traffic, drain }: Scene, { perSecond, relabelMs }: Pace) {
  const began = performance.now();
  const written = { steps: 0, relabels: 0 };
  const state: { isOver: boolean; failure?: unknown } = { isOver: false };
  const step = () => {
    const passed = performance.now() - began;
    for (; written.steps < (passed * perSecond) / 1_000; written.steps += 1) traffic.step();
    for (; written.relabels < passed / relabelMs; written.relabels += 1) traffic.relabel();
    drain();
  };
  const turn = async () => {
    for (; !state.isOver; await after(tickMs)) step();
  };
  const turning = turn().catch((cause: unknown) => {
    state.failure = cause;
  });
  const check = () => {
    if (state.failure !== undefined) throw new Error('it cannot go on', { cause: state.failure });
  };
  return {
    check,
    async stop() {
      state.isOver = true;
      await turning;
      check();
    },
  };
}
