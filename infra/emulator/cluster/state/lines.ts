import { isJsonObject, type JsonObject, jsonIn } from '#shared/domain/json.ts';
import type { Change } from '../store/history.ts';
import type { Stored } from '../store/stored.ts';

/** Of the log's form; a newer one is not for us. */
const formVersion = 1;

export type Head = { readonly revision: number };

export type Line =
  | {
      readonly kind: 'put';
      readonly id: string;
      readonly revision: number;
      readonly object: JsonObject;
    }
  | { readonly kind: 'gone'; readonly id: string; readonly revision: number; readonly key: string };

export function headLine({ revision }: Head): string {
  return `${JSON.stringify({ gatehouse: 'cluster', version: formVersion, revision })}\n`;
}

/** The text of an object goes into it as it lies in memory. */
export function putLine(id: string, { version, body }: Stored): string {
  return `{"r":${version},"k":${JSON.stringify(id)},"o":{${body}}\n`;
}

export function lineOfChange(id: string, { type, version, now }: Change): string {
  if (type !== 'DELETED') return putLine(id, now);
  return `${JSON.stringify({ r: version, k: id, d: now.key })}\n`;
}

export type ReadHead = Head | 'newer' | 'none';

export function headFrom(line: string): ReadHead {
  const read = parsed(line);
  if (read === undefined || read['gatehouse'] !== 'cluster') return 'none';
  const { version, revision } = read;
  if (typeof version !== 'number' || typeof revision !== 'number') return 'none';
  return version > formVersion ? 'newer' : { revision };
}

/** `undefined` where it is none, or only half of one. */
export function lineFrom(line: string): Line | undefined {
  const read = parsed(line);
  if (read === undefined) return undefined;
  const { r: revision, k: id, o: object, d: key } = read;
  if (typeof revision !== 'number' || typeof id !== 'string') return undefined;
  if (typeof key === 'string') return { kind: 'gone', id, revision, key };
  return isJsonObject(object) ? { kind: 'put', id, revision, object } : undefined;
}

function parsed(line: string): JsonObject | undefined {
  const value = jsonIn(line);
  return isJsonObject(value) ? value : undefined;
}
