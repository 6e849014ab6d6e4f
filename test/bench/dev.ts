import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { configMaps } from '#shared/domain/kind.ts';
import { type DevProcess, type Line, startDev } from '#test/support/dev-process.ts';
import { atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { alsoStop } from './support/processes.ts';
import { spreadOf } from './support/statistics.ts';
import { openFolder } from './support/subjects.ts';

export const bench: Bench = {
  about:
    'gatehouse dev: from its start to the first event handled, and from a save to the next one',
  options: { rounds: 11, saves: 21 },
  run,
};

async function run({ rounds = 0, saves = 0 }: Numbers): Promise<Report> {
  const desk = openDesk();
  const [first] = await started(desk, { rounds: 1, what: 'first start' });
  // The first warm start is the first one to read the compile cache of what the first start loaded.
  await started(desk, { rounds: 1, what: 'warming' });
  const warm = await started(desk, { rounds, what: 'warm start' });
  const saved = await savedOnce(desk, saves);
  const figures = {
    firstStartMillis: first?.ms ?? Number.NaN,
    warmStartMillis: spreadOf(warm.map(({ ms }) => ms)),
    warmReadyMillis: spreadOf(warm.map(({ readyMs }) => readyMs)),
    warmWallMillis: spreadOf(warm.map(({ wallMs }) => wallMs)),
    saveMillis: spreadOf(saved),
  };
  return {
    bench: 'dev',
    figures,
    bars: [
      atMost('first start to the first event, ms', figures.firstStartMillis, 4_000),
      atMost('warm start to the first event, ms', figures.warmStartMillis.median, 1_000),
      atMost('save to the next event handled by it, ms', figures.saveMillis.median, 300),
    ],
  };
}

type Desk = { readonly state: string; readonly functions: string; readonly file: string };

function openDesk(): Desk {
  const directory = openFolder();
  const functions = join(directory, 'functions');
  mkdirSync(functions);
  const file = join(functions, 'greet.ts');
  writeFileSync(file, greeting('nothing yet'));
  return { state: join(directory, 'state'), functions, file };
}

/** A user's own function, which says which version of it has run. */
const greeting = (why: string) => `
import { defineReconcile, kinds } from 'gatehouse/define';
export default defineReconcile({
  name: 'greet',
  capability: 'greetings',
  trigger: { watch: { of: kinds.configMaps, namespace: 'default' } },
  uses: [],
  deadlineMs: 1_000,
  handler: () => ({ kind: 'give-up', why: ${JSON.stringify(why)} }),
});
`;

function open({ state, functions }: Desk): Promise<DevProcess> {
  return startDev({ state, args: ['--functions', functions], isByNpm: true });
}

type Start = { readonly ms: number; readonly readyMs: number; readonly wallMs: number };
type Starts = { readonly rounds: number; readonly what: string };

/** Something happens as soon as it is ready; what time wakes may be handled before that. */
async function started(desk: Desk, { rounds, what }: Starts): Promise<readonly Start[]> {
  const starts: Start[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const began = performance.now();
    const dev = await open(desk);
    const end = endOf(dev);
    const readyMs = performance.now() - began;
    const isIt = ({ kind }: Line) => kind === 'first-event';
    const coming = dev.heard(isIt);
    await happens(dev);
    const line = dev.lines.find(isIt) ?? (await coming);
    coming.catch(() => {});
    const ms = Number(line['ms']);
    starts.push({ ms, readyMs, wallMs: performance.now() - began });
    await end();
    say(`${what} ${round}/${rounds}: ${ms} ms, ready after ${readyMs.toFixed(0)} ms`);
  }
  return starts;
}

/** Also when the bench fails. */
function endOf(dev: DevProcess): () => Promise<void> {
  let ended: Promise<unknown> | undefined;
  const end = async () => {
    ended ??= dev.end();
    await ended;
  };
  alsoStop(end);
  return end;
}

let count = 0;

async function happens({ cluster }: DevProcess): Promise<void> {
  count += 1;
  const metadata = { name: `map-${process.pid}-${count}`, namespace: 'default' };
  await cluster.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
}

/** Things happen all the time: what counts is when the first of them meets the new code. */
async function savedOnce(desk: Desk, saves: number): Promise<readonly number[]> {
  const dev = await open(desk);
  const end = endOf(dev);
  const millis: number[] = [];
  for (let round = 1; round <= saves; round += 1) {
    const took = await millisToNewCode(dev, desk, `saved ${round}`);
    say(`save ${round}/${saves}: ${took.toFixed(0)} ms`);
    millis.push(took);
  }
  await end();
  return millis;
}

const everyMs = 10;

async function millisToNewCode(dev: DevProcess, { file }: Desk, why: string): Promise<number> {
  let isOver = false;
  const began = performance.now();
  const met = dev
    .heard((line) => line.kind === 'run' && line['why'] === why)
    .finally(() => {
      isOver = true;
    });
  writeFileSync(file, greeting(why));
  while (!isOver) {
    await happens(dev);
    await after(everyMs);
  }
  await met;
  return performance.now() - began;
}
