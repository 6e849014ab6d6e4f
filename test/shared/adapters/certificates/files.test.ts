import { mkdir, mkdtemp, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type MountedCertificates,
  openMountedCertificates,
} from '#shared/adapters/certificates/files.ts';

const opened: MountedCertificates[] = [];
afterEach(() => {
  for (const mounted of opened.splice(0)) mounted.close();
});

describe('mounted certificates', () => {
  it('are read from plain files, with or without a CA', async () => {
    const directory = await emptyDirectory();
    const { mounted } = open(directory);
    expect(await mounted.read()).toBeUndefined();

    await writeFile(join(directory, 'tls.crt'), 'leaf');
    expect(await mounted.read()).toBeUndefined();
    await writeFile(join(directory, 'tls.key'), 'key');
    expect(await mounted.read()).toEqual({ certificate: 'leaf', key: 'key', ca: '' });
    await writeFile(join(directory, 'ca.crt'), 'ca');
    expect(await mounted.read()).toEqual({ certificate: 'leaf', key: 'key', ca: 'ca' });
  });

  it('are seen to change when the kubelet swaps its link, ca.crt alone included', async () => {
    const directory = await emptyDirectory();
    await project(directory, 'one', { leaf: 'leaf', ca: 'ca one' });
    const { mounted, changed } = open(directory);
    const change = changed();

    await project(directory, 'two', { leaf: 'leaf', ca: 'ca two' });
    await change;
    expect(await mounted.read()).toEqual({ certificate: 'leaf', key: 'key of leaf', ca: 'ca two' });
  });

  it('are never half of one swap and half of the next', async () => {
    const directory = await emptyDirectory();
    await project(directory, 'r0', { leaf: '0', ca: '0' });
    const { mounted } = open(directory);
    const swaps = (async () => {
      for (let i = 1; i <= 60; i++) await project(directory, `r${i}`, { leaf: `${i}`, ca: `${i}` });
    })();
    const seen: string[] = [];
    while (!seen.includes('60')) {
      const pair = await mounted.read();
      if (pair === undefined) continue;
      expect(pair).toEqual({
        certificate: pair.ca,
        key: `key of ${pair.ca}`,
        ca: pair.ca,
      });
      seen.push(pair.ca);
    }
    await swaps;
  });

  it('are looked at again and again where nothing can be watched', async () => {
    const directory = join(await emptyDirectory(), 'not-mounted-yet');
    const { mounted, changed, problems } = open(directory, 5);
    expect(problems).toEqual([expect.stringContaining('the directory cannot be watched')]);
    expect(await mounted.read()).toBeUndefined();

    await mkdir(directory);
    await project(directory, 'one', { leaf: 'leaf', ca: 'ca' });
    await changed();
    expect(await mounted.read()).toMatchObject({ ca: 'ca' });
  });

  it('that may not be read are an outage, not an absence', async () => {
    const directory = await emptyDirectory();
    await mkdir(join(directory, 'tls.crt'));
    const { mounted } = open(directory);
    await expect(mounted.read()).rejects.toThrow('cannot read the mounted certificate');
  });
});

function open(directory: string, pollMs = 60_000) {
  const problems: string[] = [];
  const waiting: (() => void)[] = [];
  const mounted = openMountedCertificates({
    directory,
    pollMs,
    onChange: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
    onProblem: (why) => problems.push(why),
  });
  opened.push(mounted);
  const changed = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { mounted, problems, changed };
}

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-mounted-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

/** As the kubelet does it: a new directory, then one rename of the link, then the old directory goes. */
async function project(
  directory: string,
  revision: string,
  { leaf, ca }: { readonly leaf: string; readonly ca: string },
): Promise<void> {
  const before = await readlink(join(directory, '..data')).catch(() => undefined);
  const data = join(directory, `..${revision}`);
  await mkdir(data);
  await writeFile(join(data, 'tls.crt'), leaf);
  await writeFile(join(data, 'tls.key'), `key of ${leaf}`);
  await writeFile(join(data, 'ca.crt'), ca);
  await symlink(`..${revision}`, join(directory, '..data_tmp'));
  await rename(join(directory, '..data_tmp'), join(directory, '..data'));
  for (const name of ['tls.crt', 'tls.key', 'ca.crt']) {
    await symlink(join('..data', name), join(directory, name)).catch(() => undefined);
  }
  if (before !== undefined) await rm(join(directory, before), { recursive: true });
}
