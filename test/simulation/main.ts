import { parseArgs } from 'node:util';
import { bugs, isBug } from './bugs.ts';
import { playMany } from './many.ts';
import { sentences } from './sentence.ts';
import { survived } from './survived.ts';
import { shortcomings, type Tally } from './tally.ts';

const usage = `npm run simulate [-- --schedules N] [--within SECONDS] [--from SEED] [--bug NAME] [--json]
npm run simulate -- --seed N [--bug NAME]
bugs: ${Object.keys(bugs).join(', ')}`;

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '100000' },
    within: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    bug: { type: 'string' },
    json: { type: 'boolean', default: false },
    lines: { type: 'string', default: '40' },
  },
});

const bug = values.bug === undefined || !isBug(values.bug) ? undefined : values.bug;
const [schedules = 0, withinSeconds = 0, from = 1, lines = 40] = [
  values.schedules,
  values.within,
  values.from,
  values.lines,
].map(Number);
const seed = values.seed === undefined ? undefined : Number(values.seed);
if (
  values.bug !== bug ||
  ![schedules, withinSeconds, from, lines, seed ?? 0].every(Number.isSafeInteger)
) {
  console.error(usage);
  process.exit(2);
}
if (seed === undefined) await runMany();
else process.exitCode = (await replay(seed)) ? 1 : 0;

/** The last steps of one schedule. Is it broken? */
async function replay(of: number): Promise<boolean> {
  const { said, steps, broken } = await survived({ seed: of, bug, isTold: true });
  console.log(said.slice(-lines).join('\n'));
  console.log(`\nseed ${of}, ${steps} steps${bug === undefined ? '' : `, with the bug ${bug}`}`);
  if (broken === undefined) console.log('all holds');
  else console.log(`broken: ${sentences[broken.sentence]}\n  ${broken.how}`);
  return broken !== undefined;
}

async function runMany(): Promise<void> {
  const began = performance.now();
  const tally = await playMany({ from, schedules, bug, withinSeconds, onProgress });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const seconds = (performance.now() - began) / 1_000;
  const missing = shortcomings(tally, { schedules, withinSeconds });
  if (values.json) console.log(JSON.stringify({ ...tally, seconds, missing }));
  else print(tally, seconds, missing);
  const [again] = tally.failures.filter(({ isLeft }) => isLeft !== true);
  if (again !== undefined && !values.json) await replay(again.seed);
  process.exitCode = tally.failures.length + missing.length > 0 ? 1 : 0;
}

function onProgress({ schedules: done, failures }: Tally): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r${done} of ${schedules} schedules, ${failures.length} broken`);
}

function print(tally: Tally, seconds: number, missing: readonly string[]): void {
  const { schedules: count, steps, fewestSteps, cpuMs, faults, failures } = tally;
  const width = Math.max(...Object.keys(faults).map(({ length }) => length));
  for (const [fault, times] of Object.entries(faults)) {
    console.log(`${fault.padEnd(width)} ${String(times).padStart(9)}`);
  }
  const mean = Math.round(steps / count);
  console.log(`\n${count} schedules in ${seconds.toFixed(1)} s, ${(cpuMs / count).toFixed(2)} ms`);
  console.log(`of CPU each; ${mean} steps on average, ${fewestSteps} at least`);
  for (const line of missing) console.log(`too little: ${line}`);
  for (const { seed: of, sentence, how } of failures) {
    console.log(`seed ${of} breaks: ${sentences[sentence]}\n  ${how}`);
  }
  console.log(`${failures.length} broken`);
}
