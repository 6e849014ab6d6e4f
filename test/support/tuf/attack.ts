import type { Distrust } from '#shared/domain/image-trust/tuf/finding.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  content,
  type Files,
  factsOf,
  hexOf,
  type Plan,
  publish,
  rootContent,
  signedFile,
} from './publish.ts';
import type { Scene } from './scene.ts';

/** What must not be trusted, and beside it what differs from it by nothing but the attack. */
export type Attack = {
  readonly name: string;
  readonly evil: Scene;
  readonly why: Distrust;
  /** Whose file gives it away. */
  readonly role: string;
  readonly benign: Scene;
};

export function attack(
  name: string,
  evil: Scene,
  [why, role]: readonly [Distrust, string],
  benign: Scene,
): Attack {
  return { name, evil, why, role, benign };
}

export function withFile(files: Files, name: string, bytes: Uint8Array): Files {
  return new Map([...files, [name, bytes]]);
}

export function fileOf(files: Files, pattern: RegExp): readonly [string, Uint8Array] {
  const found = [...files].find(([name]) => pattern.test(name));
  if (found === undefined) throw new Error(`there is no file like ${pattern}`);
  return found;
}

/** The same names, the other's content: what a server can do that holds no key. */
export function swapped(files: Files, pattern: RegExp, other: Uint8Array): Files {
  return withFile(files, fileOf(files, pattern)[0], other);
}

/** All roots that led to the last of the plans, and its files. */
export function published(...plans: readonly Plan[]): Files {
  return new Map(plans.flatMap((plan) => [...publish(plan)]));
}

export type Edit = (content: JsonObject) => JsonObject;

/** As an owner would sign it who writes something else into his files; all hashes and signatures hold. */
export function edited(plan: Plan, edits: Readonly<Record<string, Edit>>): Files {
  const changed = (role: string, signed: JsonObject) => edits[role]?.(signed) ?? signed;
  const files = publish(plan);
  const others = [...files].flatMap(([name, bytes]) => {
    const role = name.replace(/\.[0-9a-f]{64}\.json$/, '');
    return role.startsWith('targets') ? [[role, bytes] as const] : [];
  });
  const targets = others.map(([role, bytes]) => {
    const signed = changed(role, JSON.parse(Buffer.from(bytes).toString()).signed);
    const owner = plan.delegations?.find(({ name }) => name === role) ?? plan.targets;
    return [role, signedFile(signed, owner)] as const;
  });
  const root = signedFile(changed('root', rootContent(plan)), plan.root);
  const meta = Object.fromEntries([...targets, ['root', root] as const].map(named));
  const snapshot = signedFile(
    changed('snapshot', content('Snapshot', plan.snapshot, { meta })),
    plan.snapshot,
  );
  const stamped = content('Timestamp', plan.timestamp, { meta: { snapshot: factsOf(snapshot) } });
  return new Map([
    ['root.json', root],
    ['timestamp.json', signedFile(changed('timestamp', stamped), plan.timestamp)],
    [`snapshot.${hexOf(snapshot)}.json`, snapshot],
    ...targets.map(([role, bytes]) => [`${role}.${hexOf(bytes)}.json`, bytes] as const),
  ]);
}

function named([role, bytes]: readonly [string, Uint8Array]) {
  return [role, factsOf(bytes)] as const;
}
