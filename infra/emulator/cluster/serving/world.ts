import type { JsonObject } from '#shared/domain/json.ts';
import type { User } from '../parts.ts';
import type { Conversion } from '../pipeline/conversion.ts';
import type { Parts } from '../pipeline/write.ts';
import type { Refusal } from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import type { Columns } from '../tables/table.ts';
import { warningHeader } from '../warning-header.ts';
import type { Surroundings } from '../watching/watching.ts';
import type { Asking } from './request.ts';
import type { Route } from './route.ts';

/** What answers are made of. */
export type World = {
  readonly store: Store;
  readonly parts: Parts;
  readonly around: Surroundings;
  columnsOf(kind: ServedKind, version: string): Columns;
  /** What whoever asks for it is warned of. */
  deprecationOf?(kind: ServedKind, version: string): string | undefined;
  /** Where objects of that version are kept in another form. */
  conversionOf?(kind: ServedKind, version: string): Conversion | undefined;
  now(): Date;
};

export type Resource = Route & { readonly kind: 'resource' };

/** A request for objects of one kind, by somebody who may ask. */
export type Asked = Asking & {
  readonly route: Resource;
  readonly of: Collection;
  readonly user: User;
  readonly userAgent: string | undefined;
  body(): Promise<Buffer | Refusal>;
};

export type Answer = {
  readonly code: number;
  /** In pieces where it may be long. */
  readonly body: JsonObject | string | Iterable<string>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
};

export function warningHeaders(warnings: readonly string[]): Answer['headers'] {
  const warning = warningHeader(warnings);
  return warning.length === 0 ? {} : { warning };
}
