import { isRefusal, type Refusal } from '#infra/emulator/cluster/refusal.ts';
import { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { type Deed, type Done, managedFieldsOf, metadataOf } from './deed.ts';
import type { Kind } from './kinds.ts';

export type Verdict =
  | { readonly kind: 'same' }
  /** What comes after patching has refused it: the rules of the kind. */
  | { readonly kind: 'refused-later'; readonly message: Json | undefined }
  | {
      readonly kind: 'different';
      readonly what: string;
      readonly ours: unknown;
      readonly theirs: unknown;
    };

/** `normal` is what the real server makes of the object that was patched here. */
export function verdictOn(
  { kind, real }: Deed,
  ours: Done | Refusal,
  normal: JsonObject | undefined,
): Verdict {
  if (isRefusal(ours)) return verdictOnRefusal(ours, real.code, real.body);
  if (real.code === 422) return { kind: 'refused-later', message: real.body['message'] };
  if (real.code >= 300) return different('refused', ours, real.body);
  if (normal !== undefined && !sameJson(contentOf(normal), contentOf(real.body))) {
    return different('object', contentOf(normal), contentOf(real.body));
  }
  const [mine, theirs] = [ours.managedFields, managedFieldsOf(real.body)];
  return areSame(mine, theirs, kind) ? { kind: 'same' } : different('managedFields', mine, theirs);
}

function different(what: string, ours: unknown, theirs: unknown): Verdict {
  return { kind: 'different', what, ours, theirs };
}

function verdictOnRefusal(ours: Refusal, code: number, body: JsonObject): Verdict {
  return ours.code === code && sameJson(plain(ours.body), plain(body))
    ? { kind: 'same' }
    : different('refusal', ours.body, body);
}

/** Objects without a Go type are written with all keys in order. */
function areSame(mine: readonly Json[], theirs: readonly Json[], { definition }: Kind): boolean {
  return definition === undefined
    ? JSON.stringify(mine) === JSON.stringify(theirs)
    : sameJson(mine, theirs);
}

function plain(body: JsonObject | string): unknown {
  if (typeof body === 'string') return body;
  const { metadata: _, details, ...rest } = body;
  const causes = isJsonObject(details) ? details['causes'] : undefined;
  // Of several managers the real server takes now the one first, now the other.
  const texts = isList(causes) ? causes.map((cause) => JSON.stringify(cause)).sort() : [];
  return { ...rest, texts };
}

function contentOf(object: JsonObject): JsonObject {
  const {
    managedFields: _,
    resourceVersion: __,
    generation: ___,
    ...metadata
  } = metadataOf(object);
  return { ...object, metadata };
}
