import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { configMaps } from '#shared/domain/kind.ts';
import { descendantsOf, stillThere } from '#test/support/descendants.ts';
import { type DevProcess, type Line, startDev } from '#test/support/dev-process.ts';
import { atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { alsoStop } from './support/processes.ts';
import { median, spreadOf } from './support/statistics.ts';
import { openFolder } from './support/subjects.ts';

export const bench: Bench = {
  about:
    'gatehouse dev: from npm start to the first event handled, from a save to the next one, and from Ctrl-C to nothing',
  options: { firsts: 3, rounds: 11, saves: 21 },
  run,
};

async function run({ firsts = 0, rounds = 0, saves = 0 }: Numbers): Promise<Report> {
  const first: Start[] = [];
  for (let round = 1; round <= firsts; round += 1) {
    first.push(await started(openDesk(), `first start ${round}/${firsts}`));
  }
  const desk = openDesk();
  await started(desk, 'the one before the warm ones');
  const warm: Start[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    warm.push(await started(desk, `warm start ${round}/${rounds}`));
  }
  const saved = await savedOnce(desk, saves);
  const npmMs = Array.from({ length: rounds }, npmAlone);
  const figures = {
    ...figuresOf('first', first),
    ...figuresOf('warm', warm),
    saveMillis: spreadOf(saved),
    endMillis: spreadOf(warm.map(({ endMs }) => endMs)),
    npmAloneMillis: spreadOf(npmMs),
  };
  const oursMs = medianOf(warm, 'wallMs') - figures.npmAloneMillis.median;
  return {
    bench: 'dev',
    figures,
    bars: [
      atMost('first start to the first event, as it prints it, ms', medianOf(first, 'ms'), 4_000),
      atMost('first start to the first event, by the wall, ms', medianOf(first, 'wallMs'), 4_000),
      atMost('warm start to the first event, as it prints it, ms', medianOf(warm, 'ms'), 1_000),
      atMost('warm start by the wall, less what npm takes to do nothing, ms', oursMs, 1_000),
      atMost('save to the next event handled by it, ms', figures.saveMillis.median, 300),
      atMost('Ctrl-C to the last process of it being gone, ms', figures.endMillis.median, 1_000),
    ],
  };
}

/** By the command's own word, and by the clock of whoever typed `npm start`. */
function figuresOf(name: 'first' | 'warm', starts: readonly Start[]) {
  return {
    [`${name}StartMillis`]: spreadOf(starts.map(({ ms }) => ms)),
    [`${name}WallMillis`]: spreadOf(starts.map(({ wallMs }) => wallMs)),
    [`${name}ReadyWallMillis`]: spreadOf(starts.map(({ readyMs }) => readyMs)),
  };
}

function medianOf(starts: readonly Start[], of: keyof Start): number {
  return median(starts.map((each) => each[of]));
}

type Desk = {
  readonly state: string;
  readonly functions: string;
  readonly file: string;
  /** Cold at first, as after `npm ci`. */
  readonly compileCache: string;
};

function openDesk(): Desk {
  const directory = openFolder();
  const functions = join(directory, 'functions');
  mkdirSync(functions);
  const file = join(functions, 'greet.ts');
  writeFileSync(file, greeting('nothing yet'));
  const compileCache = join(directory, 'compile-cache');
  return { state: join(directory, 'state'), functions, file, compileCache };
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

function open({ state, functions, compileCache }: Desk): Promise<DevProcess> {
  return startDev({ state, compileCache, args: ['--functions', functions], isTyped: true });
}

type Start = {
  readonly ms: number;
  readonly readyMs: number;
  readonly wallMs: number;
  readonly endMs: number;
};

/** What `npm start` takes where there is nothing to start: no part of it is ours. */
function npmAlone(): number {
  const cwd = openFolder();
  writeFileSync(join(cwd, 'package.json'), '{ "scripts": { "start": "true" } }');
  const began = performance.now();
  const { status } = spawnSync('npm', ['start'], { cwd, stdio: 'ignore' });
  if (status !== 0) throw new Error(`npm start ended with ${status}`);
  return performance.now() - began;
}

/** Something happens as soon as it is ready; what time wakes may be handled before that. */
async function started(desk: Desk, what: string): Promise<Start> {
  const began = performance.now();
  const dev = await open(desk);
  const end = endOf(dev);
  const readyMs = performance.now() - began;
  const isIt = ({ kind }: Line) => kind === 'first-event';
  const coming = dev.heard(isIt);
  await happens(dev);
  const line = dev.lines.find(isIt) ?? (await coming);
  coming.catch(() => {});
  const wallMs = performance.now() - began;
  const endMs = await end();
  const start = { ms: Number(line['ms']), readyMs, wallMs, endMs };
  say(`${what}: ${said(start)}`);
  return start;
}

function said({ ms, readyMs, wallMs, endMs }: Start): string {
  const wall = `${wallMs.toFixed(0)} ms by the wall`;
  return `${ms} ms, ${wall}, ready after ${readyMs.toFixed(0)} ms, ended in ${endMs.toFixed(0)} ms`;
}

/** Also when the bench fails. Says how long it took until nothing was left of it. */
function endOf(dev: DevProcess): () => Promise<number> {
  let ended: Promise<number> | undefined;
  const end = () => {
    ended ??= goneAfter(dev);
    return ended;
  };
  alsoStop(async () => void (await end()));
  return end;
}

const lookMs = 5;

async function goneAfter(dev: DevProcess): Promise<number> {
  const all = descendantsOf(dev.pid);
  const told = performance.now();
  const exited = dev.end();
  while (stillThere(all).length > 0) await after(lookMs);
  await exited;
  return performance.now() - told;
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
