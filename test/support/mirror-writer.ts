import type { Sql } from 'postgres';
import type { Transaction } from '#events/forwarder/ports.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Backfill, Cursor, Row } from '#shared/domain/mirrored.ts';
import { type Scope, scopeName } from '#shared/domain/watched.ts';

/** Writes to the mirror what a forwarder would: each change a transaction, and a later version. */
export function mirrorWriter(sql: Sql, cluster: string, notifies: () => boolean = () => true) {
  const sender = () => ({ send: async () => undefined });
  const store = storeOn(sql, { cluster, sender, notifies });
  let version = 0;

  const transact = async (scope: Scope, work: (transaction: Transaction) => Promise<void>) => {
    const claimed = await store.claim(scopeName(scope), 'writer', 60_000);
    if (claimed === undefined) throw new Error('somebody else writes');
    await store.transact(claimed.term, work);
  };
  const write = async (scope: Scope, row: Row) => {
    version += 1;
    const resourceVersion = String(version);
    await transact(scope, async (transaction) => {
      await transaction.write([
        { ...row, resourceVersion: row.resourceVersion || resourceVersion },
      ]);
      await transaction.setCursor({ epoch: 1, generation: 1, at: { resourceVersion } });
    });
  };

  return {
    put: (kind: Kind, object: KubeObject, keys: readonly string[] = [], scope: Scope = { kind }) =>
      write(scope, rowOf(object, keys)),
    async remove(kind: Kind, uid: string) {
      const [found] = await sql<{ body: KubeObject }[]>`
        select body from objects where cluster = ${cluster} and uid = ${uid}`;
      if (found !== undefined) await write({ kind }, { ...rowOf(found.body, []), isDeleted: true });
    },
    /** Where the kind's writer is. */
    moveTo: (kind: Kind, at: Cursor['at'], scope: Scope = { kind }) =>
      transact(scope, ({ setCursor }) => setCursor({ epoch: 1, generation: 1, at })),
    setBackfill: (scope: Scope, backfill: Backfill) =>
      transact(scope, (transaction) => transaction.setBackfill(backfill)),
  };
}

function rowOf(object: KubeObject, keys: readonly string[]): Row {
  const { uid = '', namespace = '', name = '', resourceVersion = '' } = object.metadata;
  const stated = { uid, namespace, name, resourceVersion, object, keys };
  return { ...stated, isDeleted: false, epoch: 1, generation: 1 };
}
