import { createHash, randomBytes } from 'node:crypto';
import { chmod, cp, lchown, lstat, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { trouble } from '../cli/output.ts';
import { type Binaries, linkLibraries } from './binaries.ts';
import { type Probed, probe } from './probe.ts';
import { type Account, ownerOf, type Way } from './way.ts';

/** Where Postgres lives, and as whom. */
export type Lodging = {
  readonly folder: string;
  /** Of the binaries. */
  readonly root: string;
  readonly libraries: string;
  readonly way: Way;
  /** Where it was asked for. */
  readonly version?: string;
};

export type Wish = {
  readonly folder: string;
  readonly binaries: Binaries;
  readonly ways: readonly Way[];
  readonly me: Pick<Account, 'uid' | 'gid'>;
  readonly elsewhere: string;
  readonly log: (text: string) => void;
};

/** Of a link to elsewhere it is whoever made the link: that is the user of Postgres, and not whom it leads to. */
export async function ownerOfData(
  folder: string,
): Promise<Pick<Account, 'uid' | 'gid'> | undefined> {
  return lstat(join(folder, 'data')).catch(() => undefined);
}

/**
 * As it was run before, which its data tell by their owner. Nothing is tried: whether it still holds is found by the start,
 * which so has Postgres up before its own modules are read.
 */
export async function lodgedBefore({
  folder,
  binaries,
  ways,
  me,
}: Wish): Promise<Lodging | undefined> {
  const owner = await ownerOfData(folder);
  const way = ways.find((each) => ownerOf(each, me).uid === owner?.uid);
  if (way === undefined) return undefined;
  const libraries = await linkLibraries(binaries, join(folder, 'links'));
  return { folder, root: binaries.root, libraries, way };
}

/** Where there are data, there it stays: whoever began anew beside them would answer from an empty database. */
export async function lodge(wish: Wish): Promise<Lodging> {
  const mayGo = wish.me.uid === 0 && !(await hasData(wish.folder));
  if (mayGo && (await hasData(placeElsewhere(wish).folder))) {
    return lodgeElsewhere(wish, ['its data are there already']);
  }
  const here = await tryAll(wish);
  if (here.kind === 'found') return here.lodging;
  if (!mayGo) throw nowhere(wish.folder, here.reasons);
  return lodgeElsewhere(wish, [
    `no other user can enter ${wish.folder}, and user namespaces are not allowed`,
    ...here.reasons,
  ]);
}

async function hasData(folder: string): Promise<boolean> {
  return (await ownerOfData(folder)) !== undefined;
}

async function lodgeElsewhere(wish: Wish, reasons: readonly string[]): Promise<Lodging> {
  const private_ = await elsewhere(wish);
  wish.log(`Postgres lives in ${private_.folder} (${reasons.join('; ')})`);
  const there = await tryAll(private_);
  if (there.kind === 'found') return there.lodging;
  throw nowhere(private_.folder, [...reasons, ...there.reasons]);
}

type Tried =
  | { readonly kind: 'found'; readonly lodging: Lodging }
  | { readonly kind: 'none'; readonly reasons: readonly string[] };

async function tryAll({ folder, binaries, ways, me }: Wish): Promise<Tried> {
  const { uid, gid } = await stat(folder);
  const libraries = await linkLibraries(binaries, join(folder, 'links'));
  const reasons: string[] = [];
  for (const way of ways) {
    // It has to be theirs before they can stand in it.
    if (me.uid === 0) await lchown(folder, ownerOf(way, me).uid, ownerOf(way, me).gid);
    const found = await probe(way, {
      postgres: join(binaries.root, 'bin/postgres'),
      folder,
      libraries,
    });
    if (found.kind === 'good') {
      return { kind: 'found', lodging: { folder, root: binaries.root, libraries, way, ...found } };
    }
    reasons.push(reasonOf(way, found));
  }
  // Whose it was must not be locked out of it by what came to nothing.
  if (me.uid === 0) await lchown(folder, uid, gid);
  return { kind: 'none', reasons };
}

function reasonOf(way: Way, { why }: Extract<Probed, { kind: 'bad' }>): string {
  if (way.kind === 'self') return why;
  const how = way.kind === 'user' ? 'as the user' : 'in a user namespace, as';
  return `${how} ${way.account.name}: ${why}`;
}

/** The name follows the folder, so that the next start finds its data. */
function placeElsewhere(wish: Wish): { readonly base: string; readonly folder: string } {
  const name = createHash('sha256').update(wish.folder).digest('hex').slice(0, 16);
  const base = join(wish.elsewhere, `postgres-${name}`);
  return { base, folder: join(base, 'state') };
}

/** Only root gets here. */
async function elsewhere(wish: Wish): Promise<Wish> {
  const { base, folder } = placeElsewhere(wish);
  await mkdir(base, { recursive: true, mode: 0o755 });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return { ...wish, folder, binaries: await copied(wish.binaries, base) };
}

async function copied({ root, links }: Binaries, base: string): Promise<Binaries> {
  const { mtimeMs, size } = await stat(join(root, 'bin/postgres'));
  const copy = join(base, `native-${size}-${Math.trunc(mtimeMs)}`);
  if ((await stat(copy).catch(() => undefined)) === undefined) {
    const half = `${copy}.${randomBytes(4).toString('hex')}`;
    await cp(root, half, { recursive: true });
    await chmod(half, 0o755);
    await rename(half, copy);
  }
  return { root: copy, links };
}

function nowhere(folder: string, reasons: readonly string[]): Error {
  return trouble('the embedded Postgres cannot be run here', {
    where: [folder, ...reasons],
    mend: [
      'set DATABASE_URL to a Postgres 15 or newer',
      'or run as a user who has an entry in /etc/passwd and may run the binaries',
    ],
  });
}
