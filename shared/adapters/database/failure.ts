import { unreachedText } from './unreached.ts';

/** What can be wrong with a database, as far as somebody has to do something about it. */
export type FailureKind =
  | 'no-server'
  | 'no-trust'
  | 'refused-login'
  | 'no-right'
  | 'read-only'
  | 'full'
  | 'newer-schema'
  | 'older-schema'
  | 'too-old-server'
  | 'wrong-encoding'
  | 'other';

export type Failure = {
  readonly kind: FailureKind;
  /** Holds no value of any row or parameter. */
  readonly what: string;
  readonly mend: string;
};

export type DatabaseError = Error & {
  readonly failure: Failure;
  readonly where: string;
  readonly mend: string;
};

/** In the place of what the libraries throw, whose texts print parameters: it is said, and not handed on as a cause. */
export function databaseError(cause: unknown, where: string): DatabaseError {
  if (isDatabaseError(cause)) return cause;
  return failed(failureOf(cause), where);
}

export function failed(failure: Failure, where: string): DatabaseError {
  const { what, mend } = failure;
  return Object.assign(new Error(what), { name: 'DatabaseError', failure, where, mend });
}

export function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && error.name === 'DatabaseError' && 'failure' in error;
}

export function failureOf(error: unknown): Failure {
  if (isDatabaseError(error)) return error.failure;
  const said = saidBy(error);
  if (said === undefined) return { kind: 'other', what: nameOf(error), mend: mends.other };
  const kind = kindOf(said.code);
  return { kind, what: `${whats[kind]}: ${textOf(said)}`, mend: mends[kind] };
}

/** Whether nobody is answered now, or until somebody mends it; else this very statement was refused, for what it holds. */
export function isOutage(error: unknown): boolean {
  const { code = '' } = saidBy(error) ?? {};
  return failureOf(error).kind !== 'other' || /^(?:57|58)...$|^ERR_(?:SOCKET|STREAM)_/.test(code);
}

/**
 * Whether it was refused for what it holds, by the server or before it got there, and would be for ever. Deadlocks pass, and
 * so does what a migration changes; what is wrong with a statement itself is the same for all.
 */
export function isRefusal(error: unknown): boolean {
  const said = saidBy(error);
  if (said === undefined) return error instanceof TypeError || error instanceof RangeError;
  return /^(?:22|23|54)[0-9A-Z]{3}$|^UNDEFINED_VALUE$|^ERR_(?:INVALID_ARG|OUT_OF_RANGE)/.test(
    said.code,
  );
}

type Said = { readonly code: string; readonly texts: readonly string[] };

/** drizzle wraps what postgres.js throws, and puts statement and parameters into its own message. */
function saidBy(error: unknown): Said | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return { code, texts: textsOf(error) };
  return saidBy(error.cause);
}

/** Of a name with several addresses, each is tried, and the error has no text of its own. */
function textsOf(error: Error): readonly string[] {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const texts = errors.flatMap((each) => (each instanceof Error ? [each.message] : []));
  return texts.length === 0 ? [error.message] : texts;
}

const byCode: Readonly<Record<string, FailureKind>> = {
  // Shut down, crashed, not yet there, and a standby that is no more.
  '57P01': 'no-server',
  '57P02': 'no-server',
  '57P03': 'no-server',
  '57P05': 'no-server',
  '3D000': 'refused-login',
  '42501': 'no-right',
  '3F000': 'no-right',
  '25006': 'read-only',
  // Ours, of several hosts.
  NO_PRIMARY: 'read-only',
  '42P01': 'older-schema',
  '42703': 'older-schema',
};

const byClass: Readonly<Record<string, FailureKind>> = {
  '08': 'no-server',
  '28': 'refused-login',
  '53': 'full',
};

function kindOf(code: string): FailureKind {
  const known = byCode[code];
  if (known !== undefined) return known;
  if (isSqlState(code)) return byClass[code.slice(0, 2)] ?? 'other';
  if (/CERT|TLS|SSL|UNABLE_TO/.test(code)) return 'no-trust';
  // postgres.js's own (CONNECTION_CLOSED), and the system's (ECONNREFUSED).
  return /^(CONNECT|E[A-Z]{3,}$|EAI_)/.test(code) ? 'no-server' : 'other';
}

function isSqlState(code: string): boolean {
  // A digit stands in each of them, and in none of the system's own (EPIPE).
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

/** Class 22 and what a statement raises itself repeat the value that they complain of. */
function textOf({ code, texts }: Said): string {
  if (!isSqlState(code)) return texts.map((message) => unreachedText({ code, message })).join('; ');
  return /^(22|P0)/.test(code) ? `SQLSTATE ${code}` : `${texts.join('; ')} (${code})`;
}

function nameOf(error: unknown): string {
  return `the database call failed: ${error instanceof Error ? error.name : typeof error}`;
}

const whats: Readonly<Record<FailureKind, string>> = {
  'no-server': 'the database does not answer',
  'no-trust': 'the connection to the database cannot be secured',
  'refused-login': 'the database refuses the login',
  'no-right': 'the database user lacks a right',
  'read-only': 'the database takes no writes',
  full: 'the database is full',
  'newer-schema': 'the schema is newer than this Gatehouse',
  'older-schema': 'the schema is older than this Gatehouse',
  'too-old-server': 'the server is too old',
  'wrong-encoding': 'the encoding of the database has not every letter',
  other: 'the database refused a statement',
};

export const mends: Readonly<Record<FailureKind, string>> = {
  'no-server':
    'see whether the server runs and can be reached; work goes on by itself when it is back',
  'no-trust': 'correct sslmode or sslrootcert in DATABASE_URL, or the certificate of the server',
  'refused-login':
    'correct user, password, database name or sslmode in DATABASE_URL, or pg_hba.conf',
  'no-right': 'make the user the owner of the database, or grant it what is named',
  'read-only': 'name the primary in DATABASE_URL, or end default_transaction_read_only',
  full: 'free disk, or raise max_connections; work goes on by itself then',
  'newer-schema': 'run the newer Gatehouse; this one would misread the tables',
  'older-schema': 'run gatehouse migrate',
  'too-old-server': 'use Postgres 15 or newer',
  'wrong-encoding':
    "make the database with the encoding UTF8 (create database … encoding 'UTF8' template template0)",
  other: 'the log of the database server says more',
};
