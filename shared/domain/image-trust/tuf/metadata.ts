import {
  anyObject,
  choice,
  type Decoder,
  decode,
  dictionaryUpTo,
  flag,
  integerFrom,
  listUpTo,
  optional,
  record,
  refine,
  text,
} from '../../decode.ts';
import type { Json } from '../../json.ts';
import type { Envelope } from './envelope.ts';
import { type Checked, distrusted, held } from './finding.ts';
import type { Key } from './key.ts';
import { isChild, topRoles } from './names.ts';
import type { Signers } from './signatures.ts';

export type FileFacts = {
  readonly length: number;
  /** Base64 by the algorithm's name. */
  readonly hashes: Readonly<Record<string, string>>;
};

type Signed = { readonly version: number; readonly expires: Date };

export type Root = Signed & {
  readonly signers: {
    readonly root: Signers;
    readonly targets: Signers;
    readonly snapshot: Signers;
    readonly timestamp: Signers;
  };
};

export type Delegation = {
  readonly name: string;
  readonly signers: Signers;
  /** A target is the role's to name if it begins with one of them. */
  readonly paths: readonly string[];
};

export type Targets = Signed & {
  /** Read when somebody asks for one: there may be tens of thousands. */
  readonly targets: ReadonlyMap<string, Json>;
  readonly delegations: readonly Delegation[];
};

/** Both of them only say which files are the current ones. */
export type Listing = Signed & { readonly meta: ReadonlyMap<string, FileFacts> };

const maxKeyIds = 128;
/** Of each role of a root: one has a few, and each with its certificates costs 2 ms, for as many roots as were rotated. */
const maxRootKeyIds = 32;
const maxHashes = 32;
/** Keys, roles and their paths, files of a snapshot: more are not looked at, since each that is wrong costs. */
const maxParts = 10_000;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

const expires = refine(
  text,
  (value) => instant.test(value) && !Number.isNaN(Date.parse(value)),
  'an RFC 3339 time',
);
const head = { version: integerFrom(1), expires };
const file = record({ length: integerFrom(0), hashes: dictionaryUpTo(maxHashes, text) });
const key = record({ keytype: text, keyval: record({ public: text }) });
const keyIds = listUpTo(maxKeyIds, text);
const signing = record({
  keyids: listUpTo(maxRootKeyIds, text),
  threshold: integerFrom(1),
});

const rootForm = record({
  _type: choice('Root'),
  ...head,
  consistent_snapshot: optional(flag),
  keys: dictionaryUpTo(maxParts, key),
  roles: record({ root: signing, targets: signing, snapshot: signing, timestamp: signing }),
});

const delegationForm = record({
  name: text,
  keyids: keyIds,
  threshold: integerFrom(1),
  paths: optional(listUpTo(maxParts, text), []),
});

const targetsForm = record({
  _type: choice('Targets'),
  ...head,
  targets: optional(anyObject, {}),
  delegations: optional(
    record({
      keys: optional(dictionaryUpTo(maxParts, key), {}),
      roles: optional(listUpTo(maxParts, delegationForm), []),
    }),
    { keys: {}, roles: [] },
  ),
});

const listingForm = record({
  _type: choice('Snapshot', 'Timestamp'),
  ...head,
  meta: dictionaryUpTo(maxParts, file),
});
const listingTypes = { snapshot: 'Snapshot', timestamp: 'Timestamp' } as const;

export function readRoot({ signed }: Envelope): Checked<Root> {
  const read = readAs('root', rootForm, signed);
  if (!read.ok) return read;

  const { version, roles } = read.value;
  const keys = keysOf(read.value.keys);
  if (topRoles.some((role) => roles[role].keyids.some((id) => !keys.has(id)))) {
    return distrusted('root', 'malformed');
  }
  const signersOf = (role: (typeof topRoles)[number]): Signers => ({
    keys,
    keyIds: roles[role].keyids,
    threshold: roles[role].threshold,
  });
  return held({
    version,
    expires: new Date(read.value.expires),
    signers: {
      root: signersOf('root'),
      targets: signersOf('targets'),
      snapshot: signersOf('snapshot'),
      timestamp: signersOf('timestamp'),
    },
  });
}

export function readTargets(role: string, { signed }: Envelope): Checked<Targets> {
  const read = readAs(role, targetsForm, signed);
  if (!read.ok) return read;

  const { version, targets, delegations } = read.value;
  const names = delegations.roles.map(({ name }) => name);
  const isSound =
    names.every((name) => isChild(name, role)) && new Set(names).size === names.length;
  if (!isSound) return distrusted(role, 'malformed');

  const keys = keysOf(delegations.keys);
  return held({
    version,
    expires: new Date(read.value.expires),
    targets: new Map(Object.entries(targets)),
    delegations: delegations.roles.map(({ name, keyids, threshold, paths }) => ({
      name,
      signers: { keys, keyIds: keyids, threshold },
      paths,
    })),
  });
}

export function readFacts(stated: Json | undefined): FileFacts | undefined {
  const read = decode(file, stated);
  return read.ok ? read.value : undefined;
}

export function readListing(
  role: 'snapshot' | 'timestamp',
  { signed }: Envelope,
): Checked<Listing> {
  const read = readAs(role, listingForm, signed);
  if (!read.ok) return read;
  if (read.value._type !== listingTypes[role]) return distrusted(role, 'malformed');
  const { version, meta } = read.value;
  return held({
    version,
    expires: new Date(read.value.expires),
    meta: new Map(Object.entries(meta)),
  });
}

function readAs<T>(role: string, form: Decoder<T>, signed: unknown): Checked<T> {
  const read = decode(form, signed);
  return read.ok ? held(read.value) : distrusted(role, 'malformed');
}

type KeyForms = Readonly<
  Record<string, { readonly keytype: string; readonly keyval: { readonly public: string } }>
>;

/** A map, since ids are whatever the file says: `constructor` is then no key. */
function keysOf(forms: KeyForms): ReadonlyMap<string, Key> {
  return new Map(
    Object.entries(forms).map(([id, { keytype, keyval }]) => [
      id,
      { type: keytype, public: keyval.public },
    ]),
  );
}
