import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const hrefOf = (file: string) => new URL(`../../../../infra/cli/dev/${file}`, import.meta.url).href;
const directory = temporaryFolder('guard-');
const file = join(directory, 'reading.mjs');

/** What one of our own modules works for before it turns, first at a start and then in a run. */
const source = `
import { setTimeout as after } from 'node:timers/promises';
import { guardThread } from ${JSON.stringify(hrefOf('guard.ts'))};
import { openLines } from ${JSON.stringify(hrefOf('lines.ts'))};
import { busy } from ${JSON.stringify(pathToFileURL(file).href)};
const print = (text) => process.stdout.write(text);
const lines = openLines({ quiet: true, json: true }, { print, paint: (_, text) => text });
const guard = guardThread(lines, { builtIn: [${JSON.stringify(directory)}], own: undefined });
for (const isBegun of [false, true]) {
  if (isBegun) guard.begun();
  await after(300);
  busy();
  await after(300);
  lines.say(isBegun ? 'has run' : 'is read');
}
await guard.stop();
`;

it('no function of ours is blamed for what a cold start takes to read it', async () => {
  writeFileSync(
    file,
    `export function busy() {
      const workedMs = () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1_000;
      };
      for (const until = workedMs() + 1_500; workedMs() < until; );
    }`,
  );
  const given = ['--input-type=module', '-e', source];
  const { stdout } = await promisify(execFile)(process.execPath, given);
  const said = stdout.trim().split('\n');
  expect(said.map((line) => JSON.parse(line))).toMatchObject([
    { kind: 'note', text: 'is read' },
    { kind: 'error', why: expect.stringContaining(file) },
    { kind: 'note', text: expect.stringContaining('it goes on') },
    { kind: 'note', text: 'has run' },
  ]);
}, 60_000);
