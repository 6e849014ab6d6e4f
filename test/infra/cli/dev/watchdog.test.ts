import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { describe, it, type TestContext } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const { href } = new URL('../../../../infra/cli/dev/watchdog.ts', import.meta.url);
const directory = temporaryFolder('watchdog-');
const folder = join(directory, 'functions');
const outside = join(directory, 'ours.mjs');
const own = join(folder, 'greet.mjs');
mkdirSync(folder);
/** Of work, not of time: this machine has others to serve. In one line, which is where it stands. */
const busy = `const worked = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1_000; }; \
export function busy(ms) { const until = worked() + ms; while (worked() < until); }
`;
for (const file of [own, outside]) writeFileSync(file, busy);

type Busy = {
  readonly file: string;
  readonly busyMs: number;
  readonly stuckMs: number;
  readonly endMs?: number;
};

/** A process that does not turn for a while, because of what stands in this file. */
function begun({ onTestFinished }: TestContext, { file, busyMs, ...limits }: Busy) {
  const source = `
    import { writeSync } from 'node:fs';
    import { openWatchdog } from ${JSON.stringify(href)};
    const say = (...said) => writeSync(1, said.join(' ') + '\\n');
    process.on('SIGINT', () => { say('heard'); process.exit(0); });
    const { busy } = await import(${JSON.stringify(pathToFileURL(file).href)});
    openWatchdog({
      folders: [${JSON.stringify(folder)}],
      stuck: (place) => say('stuck', place),
      freed: (place) => say('freed', place),
      end: (place) => say('end', place),
      ...${JSON.stringify(limits)},
    });
    setTimeout(() => busy(${busyMs}), 300);
    setTimeout(() => { say('over'); setInterval(() => {}, 1_000); }, 301);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const reading = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const heard = async (text: string) => {
    while (!lines.includes(text)) await once(reading, 'line');
  };
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, lines }));
  return { child, heard, ended };
}

const stuck = `stuck ${own}:1`;

// Each waits for the most part.
describe.concurrent('a process that does not turn', () => {
  it('is told where a function keeps it, and ended by Ctrl-C all the same', async (context) => {
    const { child, heard, ended } = begun(context, { file: own, busyMs: 600_000, stuckMs: 200 });
    await heard(stuck);
    child.kill('SIGINT');
    context.expect(await ended).toEqual({ code: null, signal: 'SIGINT', lines: [stuck] });
  }, 60_000);

  it('is ended where a function keeps it for too long', async (context) => {
    const limits = { stuckMs: 200, endMs: 500 };
    const { ended } = begun(context, { file: own, busyMs: 600_000, ...limits });
    const lines = [stuck, `end ${own}:1`];
    context.expect(await ended).toEqual({ code: null, signal: 'SIGTERM', lines });
  }, 60_000);

  it('hears signals again where a function returns late', async (context) => {
    const { child, heard, ended } = begun(context, { file: own, busyMs: 600, stuckMs: 200 });
    await heard(`freed ${own}:1`);
    child.kill('SIGINT');
    const { code, lines } = await ended;
    context.expect(code).toBe(0);
    context.expect(lines[0]).toBe(stuck);
    context.expect(lines.at(-1)).toBe('heard');
  }, 60_000);

  it('is left alone where no function keeps it', async (context) => {
    const limits = { stuckMs: 200, endMs: 400 };
    const { child, heard, ended } = begun(context, { file: outside, busyMs: 600, ...limits });
    await heard('over');
    child.kill('SIGINT');
    context.expect(await ended).toEqual({ code: 0, signal: null, lines: ['over', 'heard'] });
  }, 60_000);
});
