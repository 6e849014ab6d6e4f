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
/** As long as whoever waits for it. */
const program = 'while kill -0 $PPID; do sleep 0.1; done';
/** Of work, not of time: this machine has others to serve. In one line, which is where it stands. */
const busy = `import { execSync as wait } from 'node:child_process'; export { wait }; const worked = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1_000; }; \
export function busy(ms) { const until = worked() + ms; while (worked() < until); }
`;
for (const file of [own, outside]) writeFileSync(file, busy);

type Busy = {
  readonly file: string;
  readonly busyMs?: number;
  /** In the place of work. */
  readonly waitsFor?: string;
  readonly isInspected?: boolean;
  readonly stuckMs?: number;
  readonly endMs?: number;
  readonly asleepMs?: number;
};

/** A process that does not turn for a while, because of what stands in this file. */
function begun({ onTestFinished }: TestContext, given: Busy) {
  const { file, busyMs, waitsFor, isInspected = false, ...limits } = given;
  const source = `
    import { writeSync } from 'node:fs';
    import { openWatchdog } from ${JSON.stringify(href)};
    const say = (...said) => writeSync(1, said.join(' ') + '\\n');
    process.on('SIGINT', () => { say('heard'); process.exit(0); });
    const { busy, wait } = await import(${JSON.stringify(pathToFileURL(file).href)});
    openWatchdog({
      folders: () => [${JSON.stringify(folder)}],
      stuck: (place) => say('stuck', place),
      freed: (place) => say('freed', place),
      end: (place) => say('end', place),
      asleep: { fd: 1, before: 'asleep', after: '.\\n' },
      ...${JSON.stringify(limits)},
    });
    setTimeout(() => ${waitsFor ? `wait(${JSON.stringify(waitsFor)})` : `busy(${busyMs})`}, 300);
    setTimeout(() => { say('over'); setInterval(() => {}, 1_000); }, 301);
  `;
  const inspecting = isInspected ? ['--inspect=0', '--inspect-publish-uid=http'] : [];
  const child = spawn(process.execPath, [...inspecting, '--input-type=module', '-e', source], {
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

  it('is told for which program it waits', async (context) => {
    const { child, heard } = begun(context, { file: own, waitsFor: program, asleepMs: 300 });
    await heard(`asleep for the program /bin/sh -c ${program}.`);
    child.kill('SIGKILL');
  }, 60_000);

  it('is left alone where a debugger may hold it', async (context) => {
    const waiting = { waitsFor: 'sleep 1.5', asleepMs: 300, isInspected: true };
    const { child, heard, ended } = begun(context, { file: own, ...waiting });
    await heard('over');
    child.kill('SIGINT');
    context.expect((await ended).lines).toEqual(['over', 'heard']);
  }, 60_000);

  it('is left alone where no function keeps it', async (context) => {
    const limits = { stuckMs: 200, endMs: 400, asleepMs: 1_000 };
    const { child, heard, ended } = begun(context, { file: outside, busyMs: 600, ...limits });
    await heard('over');
    child.kill('SIGINT');
    context.expect(await ended).toEqual({ code: 0, signal: null, lines: ['over', 'heard'] });
  }, 60_000);
});
