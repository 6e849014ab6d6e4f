import { arrayText } from '#shared/domain/array-text.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { mirroredForm, type Row, type RowVersion, unreadRow } from '#shared/domain/mirrored.ts';
import { labelsOf, ownersOf, type Realm, storable, termsOf } from './terms.ts';

/** A row of `objects` as a query gives it back under these names. */
export type StoredRow = {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resource_version: string;
  readonly epoch: number;
  readonly generation: number;
  readonly is_deleted: boolean;
  readonly is_inherited: boolean;
  readonly keys: readonly string[];
  /** As text: of a change that wakes by what is true now, nobody asks what was before. */
  readonly body: string;
};

export type StoredVersion = Omit<StoredRow, 'body'>;

export function versionFrom(stored: StoredVersion): RowVersion {
  return {
    uid: stored.uid,
    namespace: stored.namespace,
    name: stored.name,
    resourceVersion: stored.resource_version,
    epoch: stored.epoch,
    isDeleted: stored.is_deleted,
  };
}

export function rowFrom(
  stored: StoredVersion & { readonly body: string | null },
  object = parsed(stored.body ?? ''),
): Row {
  return unreadRow(stateFrom(stored), object);
}

export function stateFrom(stored: StoredVersion): Omit<Row, 'object'> {
  const { is_inherited: isInherited, generation, keys } = stored;
  const inherited = isInherited ? { isInherited } : {};
  return { ...versionFrom(stored), ...inherited, generation, keys };
}

/** What `{}` of half a mebibyte are parsed to is 12: of several in one piece, no two are kept. */
const mostKept = 64 * 1024;

/** When somebody asks. */
export function parsed(body: string): () => KubeObject {
  return body.length > mostKept ? () => JSON.parse(body) as KubeObject : parsedOnce(body);
}

function parsedOnce(body: string): () => KubeObject {
  let object: KubeObject | undefined;
  return () => {
    object ??= JSON.parse(body) as KubeObject;
    return object;
  };
}

/** JSON texts, a line each: within them the end of a line is escaped. As an array, all of each would be once more. */
function linesOf(texts: readonly string[]): string {
  return texts.join('\n');
}

/** A row, and of which cluster and kind. */
type Known = { readonly realm: Realm; readonly row: Row };

/** The rows of one write, turned by 90°: one parameter a column, however many rows. */
export function columnsOf(known: readonly Known[]) {
  const rows = known.map(({ row }) => row);
  const column = (value: (row: Row) => string) => arrayText(rows.map(value));
  const texts = known.map(textsOf);
  return {
    ...placesOf(rows),
    versions: column(({ resourceVersion }) => storable(resourceVersion)),
    epochs: column(({ epoch }) => String(epoch)),
    generations: column(({ generation }) => String(generation)),
    labels: linesOf(texts.map(({ labels }) => labels)),
    owners: arrayText(texts.map(({ owners }) => owners)),
    keys: column(({ keys }) => arrayText(keys.map(storable))),
    terms: arrayText(texts.map(({ terms }) => terms)),
    bodies: linesOf(texts.map(({ body }) => body)),
    deleted: column(({ isDeleted }) => String(isDeleted)),
  };
}

/** Of one after another: what a large one is parsed to is gone before the next. */
function textsOf({ realm, row: { object, keys } }: Known) {
  const [labels, owners] = [labelsOf(object), ownersOf(object)];
  return {
    labels: JSON.stringify(labels),
    owners: arrayText(owners),
    terms: arrayText(termsOf(realm, { labels, owners, keys })),
    body: JSON.stringify(mirroredForm(object)),
  };
}

export function placesOf(rows: readonly Row[]) {
  const column = (value: (row: Row) => string) =>
    arrayText(rows.map((row) => storable(value(row))));
  return {
    uids: column(({ uid }) => uid),
    namespaces: column(({ namespace }) => namespace),
    names: column(({ name }) => name),
  };
}
