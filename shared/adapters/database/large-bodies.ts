import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { parsed } from './columns.ts';
import { cutAt, isBeforeCut } from './cut.ts';
import { storable } from './terms.ts';

type Body = { readonly uid: string; readonly body: string };
type Named = {
  readonly uids: readonly string[];
  /** The condition of whose rows they are. */
  readonly ours: () => ReturnType<TransactionSql>;
};

export type Bodies = ReadonlyMap<string, () => KubeObject>;

/** Of whom a batch names, in pieces. What is behind the first piece is kept packed, outside of the heap: a batch may name 500. */
export async function largeBodies(tx: TransactionSql, { uids, ours }: Named): Promise<Bodies> {
  const bodies = new Map<string, () => KubeObject>();
  for (let after = ''; ; ) {
    const piece = await readPiece(tx, { uids, ours, after });
    for (const { uid, body } of piece) {
      bodies.set(uid, after === '' ? parsed(body) : packed(body));
    }
    const last = piece.at(-1);
    // A sweep may have taken a tombstone meanwhile.
    if (last === undefined || bodies.size === uids.length) return bodies;
    after = last.uid;
  }
}

const pieceBytes = 1024 * 1024;

function readPiece(tx: TransactionSql, { uids, ours, after }: Named & { readonly after: string }) {
  return tx<Body[]>`
    with page as materialized (
      select o.uid, o.body from objects o
      where ${ours()} and o.uid = any(${arrayText(uids.map(storable))}::text[])
        and o.uid > ${after}
      order by o.uid),
    ${cutAt(tx, pieceBytes)}
    select page.uid, page.body::text as body from page
    where ${isBeforeCut(tx)} order by page.uid`;
}

/** Taken to pieces each time that somebody asks: what was made of all of them would be the heap again. */
function packed(body: string): () => KubeObject {
  const bytes = deflateRawSync(body, { level: 1 });
  return () => JSON.parse(inflateRawSync(bytes).toString());
}
