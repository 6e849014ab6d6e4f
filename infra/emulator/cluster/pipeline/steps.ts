import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import { badRequest, invalid, isRefusal, type Refusal, refusal } from '../refusal.ts';
import { warningHeader } from '../warning-header.ts';
import { admittingOf } from './admitting.ts';
import { generated } from './generated-name.ts';
import { born, kept, metadataOf, textIn, wiped, withMetadata } from './metadata.ts';
import { repeatedOwners } from './owners.ts';
import { withOwnersRestored } from './owners-restored.ts';
import { mistyped, unfitConfig, unfitPatch } from './typed.ts';
import type { Draft, Step, Write } from './write.ts';

/** What a request passes through, in the order of the real server. */
export const creating: readonly Step[] = [
  decoded,
  placed,
  anew,
  ownedOnce,
  defaulted,
  owned,
  mutated,
  given,
  made,
  checked,
  validated,
];

/** Of what is asked and never kept. */
export const questioning: readonly Step[] = [decoded, placed, owned, mutated, validated];
export const receiving: readonly Step[] = [decoded, placed, defaulted, owned];

/** What is wrong with an object before anybody looks whether there is one. */
export const stating: readonly Step[] = [decoded, placed, identified];

/** Who writes a part of what stands for an object owns it there. */
export const owning: readonly Step[] = [owned];

export const updating: readonly Step[] = [
  decoded,
  placed,
  identified,
  lived,
  ownedOnce,
  defaulted,
  owned,
  mutated,
  remade,
  checked,
  validated,
];

/** Who applies owns by what is applied, and by nothing else. */
export const applyingNew = creating.filter((step) => step !== owned);
export const applyingAgain = updating.filter((step) => step !== owned);

export async function through(
  steps: readonly Step[],
  first: Draft,
  write: Write,
): Promise<Draft | Refusal> {
  let draft = first;
  for (const step of steps) {
    const next = await step(draft, write);
    if (isRefusal(next)) return warned(next, draft.warnings);
    draft = next;
  }
  return draft;
}

/** What was said on the way is said to whoever is refused as well. */
export function warned(no: Refusal, warnings: Draft['warnings']): Refusal {
  const all = warningHeader(warnings);
  if (all.length === 0) return no;
  const stated = no.headers?.['warning'] ?? [];
  const warning = [...all, ...(typeof stated === 'string' ? [stated] : stated)];
  return { ...no, headers: { ...no.headers, warning: [...new Set(warning)] } };
}

/** Unknown fields are gone or refused, and what is left says of which type it is. */
function decoded(draft: Draft, write: Write): Draft | Refusal {
  const { schema, parts, options, of, version } = write;
  const wrong = mistyped(draft.object, write);
  if (wrong !== undefined)
    return write.isPatch ? unfitPatch(wrong, draft.object, write.patch) : wrong;
  const type = { kind: of.kind.kind, apiVersion: apiVersion({ group: of.kind.group, version }) };
  const object = { ...draft.object, ...type };
  if (schema === undefined) return { ...draft, object };
  const read = parts.decoded(object, schema, {
    how: options.fieldValidation,
    duplicates: write.duplicates,
  });
  if (isRefusal(read)) return unfit(read, draft.object, write);
  const warnings = [...draft.warnings, ...read.warnings];
  return { ...draft, object: forgetting(read.object, draft.object), warnings };
}

function unfit(read: Refusal, object: JsonObject, { isPatch, patch }: Write): Refusal {
  if (!isPatch) return read;
  const isApplied = patch?.contentType.includes('apply') === true;
  return isApplied ? unfitConfig(read, patch?.value) : unfitPatch(read, object, patch);
}

function placed(draft: Draft, { namespace, of }: Write): Draft | Refusal {
  const stated = textIn(metadataOf(draft.object), 'namespace');
  if (stated === namespace) return draft;
  if (stated === undefined || !of.kind.namespaced) {
    return { ...draft, object: withMetadata(draft.object, { namespace }) };
  }
  return elsewhere;
}

export const elsewhere = badRequest(
  'the namespace of the provided object does not match the namespace sent on the request',
);

/** Of owners that are stated twice the first stays. */
function ownedOnce(draft: Draft): Draft {
  const again = repeatedOwners(draft.object);
  if (again === undefined) return draft;
  const warnings = [...draft.warnings, again.warning];
  return { ...draft, object: again.object, warnings };
}

function anew(draft: Draft): Draft {
  return { ...draft, object: wiped(draft.object) };
}

function identified(draft: Draft, { name }: Write): Draft | Refusal {
  const stated = textIn(metadataOf(draft.object), 'name');
  if (stated === name) return draft;
  return stated === undefined ? unnamed(name) : renamed(stated, name);
}

export function renamed(stated: string, name: string): Refusal {
  return badRequest(
    `the name of the object (${stated}) does not match the name on the URL (${name})`,
  );
}

export function unnamed(name: string): Refusal {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/** Of its life so far an update says nothing, or the same. */
function lived(draft: Draft): Draft {
  const { object, before } = draft;
  return before === undefined ? draft : { ...draft, object: kept(object, before) };
}

function defaulted(draft: Draft, { rules }: Write): Draft {
  return { ...draft, object: forgetting(rules.defaulted(draft.object), draft.object) };
}

/** An empty list is as good as none, but for that of the owners: by it one forgets them. */
function forgetting(next: JsonObject, sent: JsonObject): JsonObject {
  const { managedFields } = metadataOf(sent);
  const isEmpty = sameJson(managedFields ?? null, []);
  return isEmpty ? withMetadata(next, { managedFields }) : next;
}

function owned(draft: Draft, write: Write): Draft {
  const { parts, options, of, version, subresource, schema, now } = write;
  const manager = {
    ...{ manager: options.fieldManager, now, subresource, schema },
    apiVersion: apiVersion({ group: of.kind.group, version }),
  };
  const { managedFields } = metadataOf(parts.managed(draft.object, draft.before, manager));
  return { ...draft, object: withMetadata(draft.object, { managedFields }) };
}

async function mutated(draft: Draft, write: Write): Promise<Draft | Refusal> {
  const admitted = await write.parts.admission.mutate(admittingOf(draft, write));
  if (isRefusal(admitted)) return admitted;
  const { object, warnings } = withOwnersRestored(admitted.object ?? draft.object, draft.object);
  return (
    misplaced(object, write) ?? {
      ...draft,
      object,
      warnings: [...draft.warnings, ...admitted.warnings, ...warnings],
    }
  );
}

export const versioned = refusal(500, {
  message: 'resourceVersion should not be set on objects to be created',
});

/** A webhook moves nothing elsewhere. */
function misplaced(object: JsonObject, { namespace, of }: Write): Refusal | undefined {
  const stated = textIn(metadataOf(object), 'namespace');
  const isHere = stated === undefined || stated === namespace || !of.kind.namespaced;
  return isHere ? undefined : elsewhere;
}

function given(draft: Draft, { namespace, now }: Write): Draft {
  const named = generated(draft.object);
  return { ...draft, object: born(named, namespace, now) };
}

function made(draft: Draft, { rules, now, user }: Write): Draft {
  return { ...draft, object: rules.created(draft.object, { now, user }) };
}

/** What may not change is as before. */
function remade(draft: Draft, { rules, part, now, user }: Write): Draft {
  const { before } = draft;
  if (before === undefined) return draft;
  const object =
    part === undefined
      ? rules.updated(draft.object, before, { now, user })
      : part.taken(draft.object, before, { now, user });
  return { ...draft, object };
}

function checked(draft: Draft, { rules, part, of }: Write): Draft | Refusal {
  const { object, before } = draft;
  const errors =
    part === undefined || before === undefined
      ? rules.checked(object, before)
      : part.checked(object, before);
  const name = String(metadataOf(object)['name'] ?? '');
  if (errors.length > 0) return invalid({ ...of.kind, name }, errors);
  return { ...draft, warnings: [...draft.warnings, ...rules.warnings(object, before)] };
}

async function validated(draft: Draft, write: Write): Promise<Draft | Refusal> {
  const admitted = await write.parts.admission.validate(admittingOf(draft, write));
  if (isRefusal(admitted)) return admitted;
  return { ...draft, warnings: [...draft.warnings, ...admitted.warnings] };
}
