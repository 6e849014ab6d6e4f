import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Row } from '#shared/domain/mirrored.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** What nobody decides by and is often half of the object. */
export function stripped(object: KubeObject): KubeObject {
  const { managedFields, annotations, ...metadata } = object.metadata;
  if (managedFields === undefined && annotations?.[lastApplied] === undefined) return object;

  const { [lastApplied]: _, ...kept } = annotations ?? {};
  return { ...object, metadata: { ...metadata, ...(annotations && { annotations: kept }) } };
}

/**
 * One row a uid, the last one; tombstones first. Of two that live under one name the later one does: the earlier is
 * gone, whether anybody said so or not.
 */
export function landing(rows: readonly Row[]): readonly Row[] {
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  const settled = byUid.size === rows.length ? rows : inOrderOfLast(rows, byUid);
  const holders = new Map(settled.filter(isLive).map((row) => [placeOf(row), row.uid]));
  const landed = settled.map((row) =>
    isLive(row) && holders.get(placeOf(row)) !== row.uid ? { ...row, isDeleted: true } : row,
  );
  return [...landed.filter((row) => !isLive(row)), ...landed.filter(isLive)];
}

export function placeOf({ namespace, name }: Pick<Row, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function isLive({ isDeleted }: Row): boolean {
  return !isDeleted;
}

function inOrderOfLast(rows: readonly Row[], byUid: ReadonlyMap<string, Row>): readonly Row[] {
  return rows.filter((row) => byUid.get(row.uid) === row);
}
