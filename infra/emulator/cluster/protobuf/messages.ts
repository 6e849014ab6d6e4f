import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** Its number, its key in JSON (none where it is written into its parent), its type, and whether a zero is written too. */
export type Field = readonly [number: number, key: string, type: string, keepsZero: 0 | 1];

type Table = {
  readonly packages: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, readonly Field[]>>;
};

let read: Table | undefined;

/** Read when the first such body comes: most clients never send one. */
function table(): Table {
  read ??= JSON.parse(
    brotliDecompressSync(readFileSync(new URL('./messages.json.br', import.meta.url))).toString(),
  ) as Table;
  return read;
}

export function messageOf(apiVersion: string, kind: string): string | undefined {
  const { packages, messages } = table();
  const own = packages[apiVersion.includes('/') ? apiVersion : `/${apiVersion}`];
  return [`${own}.${kind}`, `meta/v1.${kind}`].find((name) => messages[name] !== undefined);
}

const byNumber = new Map<string, ReadonlyMap<number, Field>>();

export function fieldsOf(message: string): ReadonlyMap<number, Field> {
  const known = byNumber.get(message);
  if (known !== undefined) return known;
  const fields = new Map((table().messages[message] ?? []).map((field) => [field[0], field]));
  byNumber.set(message, fields);
  return fields;
}
