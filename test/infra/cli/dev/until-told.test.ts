import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const { href } = new URL('../../../../infra/cli/dev/until-told.ts', import.meta.url);

/** Says something all the time, and takes a while to tidy up when it is told to stop. */
const working = (tidied: string, tidyMs: number) => `
  import { writeFileSync } from 'node:fs';
  import { untilTold } from ${JSON.stringify(href)};
  // As the command does it for all of its verbs.
  process.stdout.on('error', () => process.exit(3));
  const stopped = untilTold(1, () => {});
  const talking = setInterval(() => console.log('x') || console.error('y'), 5);
  console.log('begun');
  if (!stopped.aborted) await new Promise((done) => stopped.addEventListener('abort', done));
  await new Promise((done) => setTimeout(done, ${tidyMs}));
  clearInterval(talking);
  writeFileSync(${JSON.stringify(tidied)}, '');
  process.exit(0);
`;

async function begun(tidyMs = 200) {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-told-'));
  const tidied = join(directory, 'tidied');
  const child = spawn(process.execPath, ['--input-type=module', '-e', working(tidied, tidyMs)]);
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });
  await once(child.stdout, 'data');
  const close = () => {
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const ended = once(child, 'exit').then(([code]) => ({ code, isTidy: existsSync(tidied) }));
  return { child, close, ended };
}

type Begun = Awaited<ReturnType<typeof begun>>;

it.each<[string, (of: Begun) => void]>([
  ['told by SIGTERM', ({ child }) => void child.kill('SIGTERM')],
  [
    'told by its group and by its wrapper at once',
    ({ child }) => {
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGINT'), 20);
    },
  ],
  ['told by SIGHUP', ({ child }) => void child.kill('SIGHUP')],
  ['read by nobody any more', ({ close }) => close()],
  [
    'left by its terminal, which says so more than once',
    ({ child, close }) => {
      close();
      for (const _ of [1, 2, 3]) child.kill('SIGHUP');
    },
  ],
])('what is %s tidies up before it ends', async (_, tell) => {
  const of = await begun();
  tell(of);
  expect(await of.ended).toEqual({ code: 0, isTidy: true });
});

it('what is told twice by somebody in a hurry goes as it is', async () => {
  const { child, ended } = await begun(60_000);
  child.kill('SIGINT');
  // The second one until it is heard: two at once may be taken for one.
  const again = setInterval(() => child.kill('SIGINT'), 100);
  expect(await ended).toEqual({ code: 1, isTidy: false });
  clearInterval(again);
});
