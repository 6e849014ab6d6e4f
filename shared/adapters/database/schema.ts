import { type Failure, mends } from './failure.ts';

/** One step of the schema, in the order of their names. */
export type Migration = KnownMigration & { readonly statements: readonly string[] };

/** As far as whoever applies none has to know it. */
export type KnownMigration = {
  readonly name: string;
  /** Of its text: a landed one is never edited. */
  readonly hash: string;
};

/** As the database remembers it. */
export type Applied = {
  readonly name: string;
  readonly hash: string;
  /** Whether the version before can run on it. Said by whoever applied it: others have not its text. */
  readonly isAdditive: boolean;
};

export type SchemaState<M extends KnownMigration = Migration> =
  | { readonly kind: 'current'; readonly ahead: readonly string[] }
  | { readonly kind: 'behind'; readonly missing: readonly M[] }
  | Unusable;

type Unusable = { readonly kind: 'unusable'; readonly failure: Failure };

/** What a database has before any table. */
export type Server = { readonly version: number; readonly encoding: string };

/** 15, the oldest that the contract suites run on. */
const oldestServer = 150_000;

/** SQL_ASCII is none: what is kept are the bytes that we send, which are UTF-8. In any other one the first 🎉 would be refused. */
const wholeEncodings = ['UTF8', 'SQL_ASCII'];

export function schemaState<M extends KnownMigration>(
  migrations: readonly M[],
  applied: readonly Applied[],
  server: Server,
): SchemaState<M> {
  const lack = lackOf(server);
  if (lack !== undefined) return lack;
  const known = new Map(migrations.map(({ name, hash }) => [name, hash]));
  const changed = applied.find(({ name, hash }) => known.has(name) && known.get(name) !== hash);
  if (changed !== undefined) return madeOtherwise(changed.name);

  const ahead = applied.filter(({ name }) => !known.has(name));
  const breaking = ahead.filter(({ isAdditive }) => !isAdditive);
  if (breaking.length > 0) {
    const names = breaking.map(({ name }) => name).join(', ');
    return unusable('newer-schema', `the schema is newer than this Gatehouse: it has ${names}`);
  }
  const has = new Set(applied.map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !has.has(name));
  if (missing.length > 0) return { kind: 'behind', missing };
  return { kind: 'current', ahead: ahead.map(({ name }) => name) };
}

function lackOf({ version, encoding }: Server): Unusable | undefined {
  if (version < oldestServer) {
    return unusable('too-old-server', `the server is version ${major(version)}`);
  }
  if (wholeEncodings.includes(encoding)) return undefined;
  const what = `the encoding of the database is ${encoding}, which has not every letter`;
  return unusable('wrong-encoding', what);
}

/** For whoever applies no migration: what is behind serves him as little as what he would misread. */
export function flawOf(state: SchemaState<KnownMigration>): Failure | undefined {
  if (state.kind === 'unusable') return state.failure;
  if (state.kind === 'current') return undefined;
  const names = state.missing.map(({ name }) => name).join(', ');
  const what = `the schema is older than this Gatehouse: ${names} is missing`;
  return unusable('older-schema', what).failure;
}

function unusable(kind: Failure['kind'], what: string): Unusable {
  return { kind: 'unusable', failure: { kind, what, mend: mends[kind] } };
}

function madeOtherwise(name: string): Unusable {
  const what = `the migration ${name} in the database is not the one of this Gatehouse`;
  const mend =
    'use another database, or an empty one: the migration was made anew before it landed, or was edited';
  return { kind: 'unusable', failure: { kind: 'other', what, mend } };
}

function major(server: number): number {
  return Math.trunc(server / 10_000);
}
