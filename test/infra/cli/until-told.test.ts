import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { apart } from '#infra/cli/until-told.ts';

it('takes what is told at once, several times over, for one', () => {
  let [now, times] = [0, 0];
  const told = apart(
    () => {
      times += 1;
    },
    () => now,
  );
  const after = [0, 2, 150, 210, 215, 500].map((at) => {
    now = at;
    told();
    return times;
  });
  expect(after).toEqual([1, 1, 1, 2, 2, 3]);
});

const { href } = new URL('../../../infra/cli/until-told.ts', import.meta.url);

const working = (most: number) => `
  import { untilTold } from ${JSON.stringify(href)};
  const { signal } = untilTold({ most: ${most}, say: (text) => console.log(text) });
  signal.addEventListener('abort', () => console.log('told'));
  console.log('begun');
  setInterval(() => {}, 1000);
`;

it.each([1, 2])('ends as it is when it is told more than %i times', async (most) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', working(most)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const ended = once(child, 'exit');
  await expect.poll(() => out, { timeout: 30_000 }).toContain('begun');
  child.kill('SIGINT');
  await expect.poll(() => out, { timeout: 30_000 }).toContain('told');
  // Until it is heard: what comes at once is taken for one.
  const again = setInterval(() => child.kill('SIGINT'), 200);
  onTestFinished(() => clearInterval(again));
  expect(await ended).toEqual([null, 'SIGINT']);
  expect(out.includes('once more')).toBe(most > 1);
});
