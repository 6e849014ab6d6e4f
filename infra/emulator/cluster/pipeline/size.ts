import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import { objectOf, type Stored } from '../store/stored.ts';

const mebibyte = 1024 * 1024;
/** A request of etcd's, and a message of its client's. */
const [mostBytes, mostSent] = [1.5 * mebibyte, 2 * mebibyte];

const tooLarge = refusal(500, { message: 'etcdserver: request is too large' });

/** What etcd does not take, in its words and its client's. */
export function oversized(stored: Stored, kind: ServedKind): Refusal | undefined {
  // No letter has more than three bytes.
  if (stored.body.length * 3 < mostBytes) return undefined;
  const bytes = bytesOf(stored, kind);
  if (bytes <= mostBytes) return undefined;
  if (bytes <= mostSent) return tooLarge;
  const why = `trying to send message larger than max (${bytes} vs. ${mostSent})`;
  return refusal(500, { message: `rpc error: code = ResourceExhausted desc = ${why}` });
}

/** A custom resource is kept as JSON; another in protobuf, where nothing is escaped and fields have no names. */
function bytesOf(stored: Stored, kind: ServedKind): number {
  const object = objectOf(stored, kind, kind.versions[0]);
  return kind.isCustom ? Buffer.byteLength(JSON.stringify(object)) : bytesIn(object as Json);
}

/** Of a field the tag, of a text its length. */
const overhead = 3;

function bytesIn(value: Json): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + overhead;
  const inner = isList(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return inner.reduce<number>((sum, each) => sum + bytesIn(each), overhead);
}
