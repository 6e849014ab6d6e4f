import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { besideTheRun } from './run-folder.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** As vitest's configuration calls it, in a process of its own that leaves something behind. */
function runIn(root: string, complains: unknown = ''): string {
  const script = `
    import { mkdtempSync, writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { openRunFolder } from '${import.meta.dirname}/run-folder.ts';
    openRunFolder();
    writeFileSync(mkdtempSync(tmpdir() + '/left-') + '/file', '');
    process.stdout.write(tmpdir());
  `;
  const { TEST_RUN_BESIDE: _, ...environment } = process.env;
  const env = { ...environment, TMPDIR: root };
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { env, encoding: 'utf8' },
  );
  expect(stderr).toEqual(complains);
  return stdout;
}

describe('the folder of a test run', () => {
  it('is where all tests put what they need for a while', () => {
    expect(dirname(tmpdir())).toBe(besideTheRun());
    expect(basename(tmpdir())).toMatch(/^gh-run-\d+$/);
    expect(dirname(temporaryFolder('here-'))).toBe(tmpdir());
  });

  it('goes with the run, and takes along what others left that were killed', () => {
    const root = temporaryFolder('root-');
    // No process has such a number.
    const killed = join(root, 'gh-run-99999999');
    const running = join(root, `gh-run-${process.pid}`);
    for (const folder of [killed, running]) mkdirSync(folder);
    const own = runIn(root);
    expect(dirname(own)).toBe(root);
    expect(existsSync(own)).toBe(false);
    expect(readdirSync(root)).toEqual([basename(running)]);
  });

  it('is opened although what a killed run has left cannot be removed', () => {
    const root = temporaryFolder('root-');
    const killed = join(root, 'gh-run-99999999');
    mkdirSync(join(killed, 'disk'), { recursive: true });
    onTestFinished(held(join(killed, 'disk')));
    runIn(root, expect.stringMatching(/^what a killed run has left stays: .*99999999/));
    expect(readdirSync(root)).toEqual([basename(killed)]);
  });
});

/** Root removes whatever is no disk. */
function held(folder: string): () => void {
  if (process.getuid?.() === 0) {
    execFileSync('mount', ['-t', 'tmpfs', 'gatehouse', folder]);
    return () => void execFileSync('umount', [folder]);
  }
  writeFileSync(join(folder, 'file'), '');
  chmodSync(folder, 0o555);
  return () => chmodSync(folder, 0o755);
}
