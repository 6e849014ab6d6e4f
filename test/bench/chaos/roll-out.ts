import { setTimeout as after } from 'node:timers/promises';
import { countedBy } from './counted.ts';
import type { Fault } from './faults.ts';
import { noticedBy } from './noticed.ts';
import type { Served } from './processes.ts';
import { late } from './rules.ts';
import type { Troupe, Waits } from './world.ts';

/** Two configurations live at once, and each of them leads once while the other sleeps. */
export const rollOut: Fault<Troupe> = {
  name: 'a roll-out that switches a function on',
  async act(troupe) {
    const { forwarders, workers, waits, checker } = troupe;
    const [old, oldWorkers] = [[...forwarders], [...workers]];
    const young = await youngBeside(troupe);
    await asleep(old, waits);
    await asleep(young.forwarders, waits);
    troupe.counted.push(...(await Promise.all(old.map(countedBy))));
    await Promise.all([...old, ...oldWorkers].map((each) => each.stop()));
    forwarders.splice(0, forwarders.length, ...young.forwarders);
    workers.splice(0, workers.length, ...young.workers);
    // What ended before that, it need never have been told.
    await noticedBy(late, troupe);
    checker.switchOn(late);
  },
};

async function youngBeside(troupe: Troupe) {
  const { forwarders, workers, start } = troupe;
  troupe.configuration = 'late';
  const beside = ({ name }: Served) =>
    start(name.startsWith('worker') ? 'worker' : 'forwarder', successorOf(name), 'late');
  const [first, second, ...others] = await Promise.all([...forwarders, ...workers].map(beside));
  if (first === undefined || second === undefined) throw new Error('nobody leads');
  return { forwarders: [first, second], workers: others };
}

/** Whoever comes after that one has the first one's name again. */
function successorOf(name: string): string {
  return name.endsWith('-late') ? name.slice(0, -'-late'.length) : `${name}-late`;
}

/** Beyond their lease: others take it, and are met when they wake up. */
export async function asleep(these: readonly Served[], waits: Waits): Promise<void> {
  for (const each of these) each.pause();
  await after(waits.leaseMs * 1.5);
  for (const each of these) each.resume();
  await after(waits.momentMs);
}
