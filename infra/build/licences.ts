import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { root } from './options.ts';

/** What is bundled is passed on, and its licences ask to go with it. */
export async function licencesOf(metafiles: readonly Metafile[]): Promise<string> {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const packages = new Set(inputs.flatMap((input) => packageOf(input) ?? []));
  const texts = await Promise.all([...packages].toSorted().map(licenceOf));
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

function packageOf(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

async function licenceOf(directory: string): Promise<string> {
  const path = join(root, directory);
  const manifest = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const head = `${manifest.name} ${manifest.version}: ${manifest.license ?? 'see below'}\n`;
  const file = (await readdir(path)).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? head : `${head}\n${await readFile(join(path, file), 'utf8')}`;
}
