import { apiVersion } from '#shared/domain/kind.ts';
import type { ServedKind } from '../served-kinds.ts';
import { parsedBody, type Stored } from '../store/stored.ts';
import { type Columns, type Include, tableHead, tableRow } from '../tables/table.ts';

/** How a client wants objects: of which API version, and in which shape. */
export type View = {
  readonly version: string;
  readonly shape:
    | { readonly kind: 'whole' }
    | { readonly kind: 'partial'; readonly form: string }
    | {
        readonly kind: 'table';
        readonly form: string;
        readonly include: Include;
        readonly columns: Columns;
        /** Of a watch only the first table says what its columns are. */
        readonly isBare?: boolean;
      };
};

/** `form` is the version of `meta.k8s.io` that a form is asked for in. */
export const metaApi = (form: string) => `meta.k8s.io/${form}`;

export const whole = { kind: 'whole' } as const;

export function bare(view: View): View {
  const { shape } = view;
  return shape.kind === 'table' ? { ...view, shape: { ...shape, isBare: true } } : view;
}

/** By which what was written once is found again. */
export function keyOfView({ version, shape }: View): string {
  if (shape.kind === 'whole') return `${version} whole`;
  return shape.kind === 'table'
    ? `${version} table ${shape.form} ${shape.include} ${shape.isBare}`
    : `${version} partial ${shape.form}`;
}

export function textOf(stored: Stored, kind: ServedKind, view: View): string {
  const { shape, version } = view;
  if (shape.kind === 'partial') return partialText(stored, shape.form);
  if (shape.kind === 'whole') {
    const api = apiVersion({ group: kind.group, version });
    return `{"kind":"${kind.kind}","apiVersion":"${api}",${stored.body}`;
  }
  const metadata = { resourceVersion: String(stored.version) };
  const columns = shape.isBare === true ? undefined : shape.columns;
  return `${tableHead(columns, metadata, metaApi(shape.form))}[${itemText(stored, kind, view)}]}`;
}

/** Typed lists leave out what each item is; lists of custom resources and of metadata do not. */
export function itemText(stored: Stored, kind: ServedKind, view: View): string {
  const { shape } = view;
  if (shape.kind === 'table') return rowText(stored, kind, { ...view, shape });
  return kind.isCustom || shape.kind === 'partial' ? textOf(stored, kind, view) : `{${stored.body}`;
}

function partialText({ body, metadataEnd }: Stored, form: string): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"${metaApi(form)}",${body.slice(0, metadataEnd)}}`;
}

type TableView = View & { readonly shape: View['shape'] & { readonly kind: 'table' } };

function rowText(stored: Stored, kind: ServedKind, { version, shape }: TableView): string {
  const cells = tableRow(shape.columns, parsedBody(stored));
  if (shape.include === 'None') return `{"cells":${cells},"object":null}`;
  const object =
    shape.include === 'Object'
      ? textOf(stored, kind, { version, shape: whole })
      : partialText(stored, shape.form);
  return `{"cells":${cells},"object":${object}}`;
}
