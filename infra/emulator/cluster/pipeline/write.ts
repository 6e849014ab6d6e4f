import type { Json, JsonObject } from '#shared/domain/json.ts';
import type {
  Access,
  Admission,
  Applied,
  Decode,
  FieldValidation,
  Managed,
  Patched,
  Rules,
  Schema,
  Schemas,
  Subresource,
  User,
} from '../parts.ts';
import type { Refusal } from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import type { Stored } from '../store/stored.ts';
import type { Conversion } from './conversion.ts';

/** What the request passes through, each of a folder of its own. */
export type Parts = {
  readonly schemas: Schemas;
  /** With what the text of the body said twice. */
  decoded(object: JsonObject, schema: Schema, how: Decoding): ReturnType<Decode>;
  rulesOf(kind: ServedKind, version: string): Rules;
  readonly access: Access;
  readonly admission: Admission;
  readonly patched: Patched;
  readonly applied: Applied;
  readonly managed: Managed;
  issueToken(serviceAccount: JsonObject, request: JsonObject): JsonObject | Refusal;
};

export type Decoding = {
  readonly how: FieldValidation;
  readonly duplicates: readonly string[];
};

export type WriteOptions = {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
  readonly force: boolean;
  /** As admission is told them. */
  readonly stated: JsonObject;
};

/** One write of one object, on its way. */
export type Write = {
  readonly store: Store;
  readonly parts: Parts;
  readonly of: Collection;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly part: (Subresource & { readonly shape: 'part' }) | undefined;
  readonly rules: Rules;
  readonly schema: Schema | undefined;
  readonly options: WriteOptions;
  /** Fields that the body states twice. */
  readonly duplicates: readonly string[];
  /** Of a patch it is told with the object that it has made. */
  readonly isPatch: boolean;
  /** What was patched with, where nothing was applied. */
  readonly patch?: { readonly contentType: string; readonly value: Json };
  readonly conversion: Conversion | undefined;
  readonly user: User;
  readonly now: Date;
};

/** What has become of it so far. */
export type Draft = {
  readonly object: JsonObject;
  readonly before: JsonObject | undefined;
  readonly warnings: readonly string[];
};

export type Step = (draft: Draft, write: Write) => Draft | Refusal | Promise<Draft | Refusal>;

export type Done = {
  readonly code: 200 | 201;
  readonly stored: Stored;
  readonly warnings: readonly string[];
};
