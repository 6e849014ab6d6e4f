import { createHash } from 'node:crypto';
import { canonicalJson } from '#shared/domain/image-trust/tuf/canonical-json.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { makeImage } from '../registry/pushed-image.ts';
import { movedText } from './present.ts';
import type { Signer } from './signer.ts';

export type Role = {
  /** Who may. */
  readonly signers: readonly Signer[];
  readonly threshold?: number;
  /** Who did; everybody who may, if it is left out. */
  readonly signedBy?: readonly Signer[];
  readonly version?: number;
  readonly expires?: string;
};

export type Delegated = Role & {
  readonly name: string;
  readonly paths: readonly string[];
  readonly targets: Readonly<Record<string, string>>;
  readonly delegations?: readonly Delegated[];
  /** The parent names it, but nobody has published it. */
  readonly isMissing?: boolean;
};

/** What an owner would publish. Every part of it can be wrong. */
export type Plan = {
  readonly root: Role;
  readonly timestamp: Role;
  readonly snapshot: Role;
  readonly targets: Role;
  /** Digests by tag. */
  readonly signed: Readonly<Record<string, string>>;
  readonly delegations?: readonly Delegated[];
};

/** By their names below `_trust/tuf/`. */
export type Files = ReadonlyMap<string, Uint8Array>;

const usualExpiry = '2031-01-01T00:00:00.123456789Z';

/** A whole collection as a Notary server would serve it. */
export function publish(plan: Plan): Files {
  const root = signedFile(rootContent(plan), plan.root);
  const roles = [...delegatedFiles(plan.delegations ?? []), topTargets(plan)];
  const meta = Object.fromEntries(roles.map(({ name, bytes }) => [name, factsOf(bytes)]));
  const snapshot = signedFile(
    content('Snapshot', plan.snapshot, { meta: { ...meta, root: factsOf(root) } }),
    plan.snapshot,
  );
  const timestamp = signedFile(
    content('Timestamp', plan.timestamp, { meta: { snapshot: factsOf(snapshot) } }),
    plan.timestamp,
  );
  return new Map([
    ['root.json', root],
    [`${plan.root.version ?? 1}.root.json`, root],
    ['timestamp.json', timestamp],
    [`snapshot.${hexOf(snapshot)}.json`, snapshot],
    ...roles.map(({ name, bytes }) => [`${name}.${hexOf(bytes)}.json`, bytes] as const),
  ]);
}

const signedOnce = new Map<string, Uint8Array>();

/** The same content by the same people is the same file: to sign it again would make another one of it. */
export function signedFile(stated: JsonObject, { signers, signedBy = signers }: Role): Uint8Array {
  const { expires } = stated;
  const signed = typeof expires === 'string' ? { ...stated, expires: movedText(expires) } : stated;
  const message = Buffer.from(canonicalJson(signed) ?? '');
  const name = [...signedBy.map(({ id, key }) => `${id} ${key.public}`), message.toString()].join(
    '\n',
  );
  const made = signedOnce.get(name) ?? envelopeOf(signed, message, signedBy);
  signedOnce.set(name, made);
  return made;
}

function envelopeOf(
  signed: JsonObject,
  message: Uint8Array,
  signedBy: readonly Signer[],
): Uint8Array {
  const signatures = signedBy.map((signer) => signer.sign(message));
  return Buffer.from(JSON.stringify({ signed, signatures }));
}

export function content(type: string, role: Role, rest: JsonObject): JsonObject {
  const { version = 1, expires = usualExpiry } = role;
  return { _type: type, version, expires, ...rest };
}

export function factsOf(bytes: Uint8Array): JsonObject {
  return { length: bytes.length, hashes: { sha256: hashOf(bytes, 'base64') } };
}

export function hexOf(bytes: Uint8Array): string {
  return hashOf(bytes, 'hex');
}

/** Of an image that has little but a name. */
export function digestFor(name: string): string {
  return makeImage(name).manifest.digest;
}

export function rootContent(plan: Plan): JsonObject {
  const { root, timestamp, snapshot, targets } = plan;
  const roles = { root, timestamp, snapshot, targets };
  const signers = Object.values(roles).flatMap((role) => [...role.signers]);
  return content('Root', root, {
    consistent_snapshot: false,
    keys: keysOf(signers),
    roles: Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, signing(role)])),
  });
}

function topTargets({ targets, signed, delegations = [] }: Plan) {
  const bytes = signedFile(targetsContent(targets, signed, delegations), targets);
  return { name: 'targets', bytes };
}

function delegatedFiles(
  delegations: readonly Delegated[],
): readonly { readonly name: string; readonly bytes: Uint8Array }[] {
  return delegations.flatMap((role) => {
    const { name, targets, delegations: inner = [], isMissing = false } = role;
    const own = { name, bytes: signedFile(targetsContent(role, targets, inner), role) };
    return [...(isMissing ? [] : [own]), ...delegatedFiles(inner)];
  });
}

function targetsContent(
  role: Role,
  signed: Readonly<Record<string, string>>,
  delegations: readonly Delegated[],
): JsonObject {
  return content('Targets', role, {
    targets: Object.fromEntries(
      Object.entries(signed).map(([tag, digest]) => [tag, target(digest)]),
    ),
    delegations: {
      keys: keysOf(delegations.flatMap(({ signers }) => [...signers])),
      roles: delegations.map((each) => ({ name: each.name, paths: each.paths, ...signing(each) })),
    },
  });
}

function target(digest: string): JsonObject {
  return {
    length: 423,
    hashes: { sha256: Buffer.from(digest.slice(7), 'hex').toString('base64') },
  };
}

function keysOf(signers: readonly Signer[]): JsonObject {
  return Object.fromEntries(
    signers.map(({ id, key }) => [
      id,
      { keytype: key.type, keyval: { private: null, public: key.public } },
    ]),
  );
}

function signing({ signers, threshold = 1 }: Role): JsonObject {
  return { keyids: signers.map(({ id }) => id), threshold };
}

function hashOf(bytes: Uint8Array, encoding: 'hex' | 'base64'): string {
  return createHash('sha256').update(bytes).digest(encoding);
}
