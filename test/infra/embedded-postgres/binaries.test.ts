import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sayError } from '#infra/cli/output.ts';
import { linkLibraries, packagedBinaries, packageName } from '#infra/embedded-postgres/binaries.ts';
import { stateFolder } from './state-folder.ts';

const state = stateFolder();
afterAll(state.remove);

describe('the platform package', () => {
  it('is missed with its name and what to do', async () => {
    const missing = packagedBinaries('@embedded-postgres/sunos-sparc');
    const said = await missing.catch((cause: unknown) => sayError(cause, { debug: false }));
    expect(said).toContain('the package @embedded-postgres/sunos-sparc is missing');
    expect(said).toContain('set DATABASE_URL');
    expect(said).toContain('install with optional dependencies');
  });

  it('gets the links that its install script would have made, without being written to', async () => {
    const binaries = await packagedBinaries();
    const before = readdirSync(join(binaries.root, 'lib'));
    await linkLibraries(binaries, state.folder);
    await linkLibraries(binaries, state.folder);
    expect(readdirSync(join(binaries.root, 'lib'))).toEqual(before);
    const links = readdirSync(state.folder);
    expect(links).toContain('libicuuc.so.60');
    expect(links.filter((name) => !existsSync(join(state.folder, name)))).toEqual([]);
  });

  it('is found where it lies now, also when it has moved since its links were made', async () => {
    const { root, links } = await packagedBinaries();
    const folder = join(state.folder, 'of-an-older-one');
    await linkLibraries({ root: '/gone', links }, folder);
    await linkLibraries({ root, links }, folder);
    const names = readdirSync(folder);
    expect(names).toHaveLength(links.length);
    expect(names.filter((name) => !existsSync(join(folder, name)))).toEqual([]);
  });

  it('is that of the machine', () => {
    expect(packageName()).toBe(`@embedded-postgres/linux-${process.arch}`);
  });
});
