import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import { failedDev, startDev } from '../support/dev-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-full-'));
const disk = join(directory, 'disk');
const filler = join(disk, 'filler');
const state = join(disk, 'state');

/** A disk of its own, of so many megabytes. Only root may do that. */
function mounted(megabytes: number): void {
  mkdirSync(disk, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=755,size=${megabytes}m`, 'gatehouse', disk]);
}

afterEach(() => {
  execFileSync('umount', [disk]);
  rmSync(directory, { recursive: true, force: true });
});

/** To the last byte. */
function fill(): void {
  try {
    while (true) writeFileSync(filler, Buffer.alloc(1_048_576), { flag: 'a' });
  } catch (cause: unknown) {
    expect(cause).toMatchObject({ code: 'ENOSPC' });
  }
}

it('gatehouse dev on a disk that has no room for its database says so in a line', async () => {
  mounted(20);
  const said = await failedDev({ state });
  expect(said).toMatch(
    /^1 gatehouse: the disk is full\n {2}where: .*\n.*\n {2}to mend it: make room there/,
  );
}, 60_000);

it('gatehouse dev on a disk that is full already says so before it starts anything', async () => {
  mounted(20);
  fill();
  expect(await failedDev({ state })).toMatch(
    /^1 gatehouse: the state folder cannot be written\n {2}where: .*\n {2}because: ENOSPC.*\n {2}to mend it: /,
  );
}, 60_000);

it('gatehouse dev whose disk fills up refuses to be written to, says it once, and goes on when there is room', async () => {
  mounted(200);
  let dev = await startDev({ state });
  const metadata = (name: string) => ({ name, namespace: 'default' });
  const made = (name: string) =>
    dev.cluster.create(configMaps, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(name) },
      data: { text: 'x'.repeat(100_000) },
    });
  await made('before');
  fill();
  const told = dev.heard(({ text }) => /cannot be written to .*ENOSPC/.test(String(text)));
  await expect
    .poll(() => made(`full-${Date.now()}`).catch(String), { timeout: 30_000 })
    .toMatch(/503/);
  await told;
  rmSync(filler);
  await expect
    .poll(() => made('after').catch(String), { timeout: 30_000 })
    .toMatchObject({ kind: 'written' });
  expect(dev.lines.filter(({ text }) => String(text).includes('ENOSPC'))).toHaveLength(1);
  expect(await dev.end()).toBe(0);

  dev = await startDev({ state });
  for (const name of ['before', 'after']) {
    const found = await dev.cluster.find({ kind: configMaps, ...metadata(name) });
    expect(found?.metadata.name).toBe(name);
  }
  expect(await dev.end()).toBe(0);
}, 120_000);
