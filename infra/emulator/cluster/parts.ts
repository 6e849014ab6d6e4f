import type { JsonObject } from '#shared/domain/json.ts';
import type { Refusal } from './refusal.ts';
import type { ServedKind } from './served-kinds.ts';

/**
 * What the parts of the emulated API server are to the request that passes through them:
 * whoIs → may → decoded → (patched | applied) → created or updated → defaulted → mutate → checked → validate → managed → store.
 * Each part is a folder beside this file, and knows the others only by these types.
 */

/** A schema as Kubernetes publishes it (OpenAPI v3), linked: a `$ref` or its `allOf` is replaced by what it means. */
export type Schema = {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly [more: string]: unknown;
};

export type GroupVersionKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
};

/** `schemas/`: of built-in kinds from the published document, of custom ones from their definitions. */
export type Schemas = { find(type: GroupVersionKind): Schema | undefined };

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** `schemas/`: what a decoder of the real server makes of a body: unknown fields dropped, warned of or refused, wrong types refused. */
export type Decode = (
  object: JsonObject,
  schema: Schema,
  how: FieldValidation,
) => Decoded | Refusal;

export type Decoded = { readonly object: JsonObject; readonly warnings: readonly string[] };

/** One cause of a 422: `spec.containers[0].image: Required value`. */
export type FieldError = {
  readonly field: string;
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid';
  /** Without the field: `Required value: must be stated`. */
  readonly message: string;
};

/** `kinds/` for the built-in kinds, `custom/` for the others: what the server itself does to objects of one kind. Pure. */
export type Rules = {
  /** Defaults; run after decoding, after each mutation, and on objects that an older state kept. Twice is once. */
  defaulted(object: JsonObject): JsonObject;
  /** What a creator may not state is gone (a status, where there is such a subresource), what the server states is there. */
  created(object: JsonObject, at: Written): JsonObject;
  /** What an update may not change is as before; the generation counts up where the spec changed. */
  updated(next: JsonObject, before: JsonObject, at: Written): JsonObject;
  /** What a new one says more of itself once it is read. */
  readBack?(object: JsonObject): JsonObject;
  checked(next: JsonObject, before: JsonObject | undefined): readonly FieldError[];
  /** `Warning:` headers of a write: deprecated fields and the like. */
  warnings(next: JsonObject, before?: JsonObject): readonly string[];
  readonly subresources: Readonly<Record<string, Subresource>>;
};

export type Written = { readonly now: Date; readonly user: User };

export type Subresource =
  /** The whole object is read and written, but only a part of it is taken: `status`, `ephemeralcontainers`, `resize`. */
  | {
      readonly shape: 'part';
      taken(next: JsonObject, before: JsonObject, at: Written): JsonObject;
      checked(next: JsonObject, before: JsonObject): readonly FieldError[];
    }
  /** Another kind stands for the object: `scale`. */
  | {
      readonly shape: 'view';
      readonly type: GroupVersionKind;
      /** Why it cannot be read of this object. */
      unreadable?(object: JsonObject): string | undefined;
      shown(object: JsonObject): JsonObject;
      taken(view: JsonObject, before: JsonObject): JsonObject | readonly FieldError[];
    }
  /** Something happens: `eviction`, `binding`, `token`; `log` answers text. */
  | {
      readonly shape: 'action';
      readonly verb: 'create' | 'get';
      readonly type: GroupVersionKind;
      /** An `apiVersion` in which the same is asked by older clients. */
      readonly alsoAs?: string;
      /** Where what is asked comes back with its answer. */
      completed?(sent: JsonObject): JsonObject;
      /** What is wrong with it, whether the object is there or not. */
      misstated?(sent: JsonObject, name: string): Refusal | undefined;
      act(sent: JsonObject, on: JsonObject, world: Acting): Promise<JsonObject | string | Refusal>;
    };

/** What an action may do beside its own object. */
export type Acting = Reading & {
  readonly user: User;
  readonly now: Date;
  readonly dryRun: boolean;
  /** Through the store alone, where it is still of this version. */
  update(kind: string, next: JsonObject): JsonObject | Refusal;
  /** As a DELETE of that user: finalizers and grace included. */
  remove(kind: string, at: ObjectName, options: JsonObject): Promise<JsonObject | Refusal>;
  issueToken(serviceAccount: JsonObject, request: JsonObject): JsonObject | Refusal;
};

/** Objects as they are now, in the stored version. `kind` is `pods` or `deployments.apps`. */
export type Reading = {
  find(kind: string, at: ObjectName): JsonObject | undefined;
  list(kind: string, namespace?: string): readonly JsonObject[];
  /** After each change of any object of the kind; a part that keeps what it read forgets it here. */
  onChange(kind: string, listener: () => void): void;
};

export type ObjectName = { readonly namespace?: string | undefined; readonly name: string };

export type User = {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
};

export type ApiVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** What is asked, as authorizers and webhooks see it. A path without a resource has only the first two. */
export type Attributes =
  | { readonly user: User; readonly verb: string; readonly path: string }
  | {
      readonly user: User;
      readonly verb: ApiVerb | (string & {});
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource?: string | undefined;
      readonly namespace?: string | undefined;
      readonly name?: string | undefined;
      /** What a field selector holds to one value: `spec.nodeName` to `worker-1`. */
      readonly fixed?: Readonly<Record<string, string>>;
    };

/** `access/`: who asks, and whether he may. */
export type Access = {
  /** 401 for credentials that are wrong; without any it is `system:anonymous`. */
  whoIs(credentials: Credentials): Promise<User | Refusal>;
  may(attributes: Attributes): { readonly allowed: boolean; readonly reason: string };
};

export type Credentials = {
  readonly authorization: string | undefined;
  /** PEM or DER of the client certificate that TLS has verified. */
  readonly certificate:
    | {
        readonly CN: string;
        readonly O: readonly string[];
        /** SHA-256, as hexadecimal. */
        readonly fingerprint?: string;
      }
    | undefined;
  readonly impersonate: Readonly<Record<string, readonly string[]>>;
};

/** One write on its way through admission. */
export type Admitting = {
  readonly kind: ServedKind;
  readonly version: string;
  readonly subresource: string | undefined;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly namespace: string | undefined;
  readonly name: string;
  /** Without one for a DELETE. */
  readonly object: JsonObject | undefined;
  readonly before: JsonObject | undefined;
  readonly options: JsonObject;
  readonly user: User;
  readonly dryRun: boolean;
  /** When whoever asks will have waited long enough, on `performance.now()`'s clock. */
  readonly until?: number;
  /** Defaults again what a webhook has changed. */
  defaulted(object: JsonObject): JsonObject;
};

export type Admitted = {
  readonly object: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
};

/** `admission/`: the built-in steps (namespace life, service accounts) and the webhooks. */
export type Admission = {
  mutate(what: Admitting): Promise<Admitted | Refusal>;
  validate(what: Admitting): Promise<Omit<Admitted, 'object'> | Refusal>;
};

/** `patching/`: pure. */
export type Patched = (
  before: JsonObject,
  patch: unknown,
  by: { readonly contentType: string; readonly schema: Schema | undefined },
) => JsonObject | Refusal;

export type Manager = {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly now: Date;
};

/** Server-side apply; the object that comes out carries its `managedFields`. */
export type Applied = (
  before: JsonObject | undefined,
  config: JsonObject,
  by: Manager & { readonly force: boolean; readonly schema: Schema | undefined },
) => JsonObject | Refusal;

/** `managedFields` after any other write. */
export type Managed = (
  next: JsonObject,
  before: JsonObject | undefined,
  by: Manager & { readonly schema: Schema | undefined },
) => JsonObject;
