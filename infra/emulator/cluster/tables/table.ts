import type { JsonObject } from '#shared/domain/json.ts';

export type Include = 'Metadata' | 'Object' | 'None';

export type Cell = string | number | boolean | null;

/** What `kubectl get` shows of a kind. */
export type Column = {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority?: number;
  cell(object: JsonObject, now: Date): Cell;
};

export type Columns = readonly Column[];

/** Up to the rows, whose list stands behind it. */
export function tableHead(
  columns: Columns | undefined,
  metadata: object,
  apiVersion: string,
): string {
  const columnDefinitions = columns?.map(
    ({ name, type, format = '', description, priority = 0 }) => ({
      ...{ name, type, format, description: description ?? name, priority },
    }),
  );
  const definitions = columnDefinitions ?? null;
  const head = {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: definitions,
  };
  return `${JSON.stringify(head).slice(0, -1)},"rows":`;
}

export function tableRow(columns: Columns, object: JsonObject): string {
  const now = new Date();
  return JSON.stringify(columns.map((column) => column.cell(object, now)));
}
