import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { idOf } from './manifests.ts';

/** What stands in the cluster because of us. */
export type Noted = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
  /** Of the manifest that was applied; none where nobody knows whether it was. */
  readonly hash?: string;
};

export type Known = ReadonlyMap<string, Noted>;

/** Where that is written down. */
export type Memory = { read(): Known; write(known: Known): void };

export type Plan = {
  readonly apply: readonly KubeObject[];
  readonly remove: readonly Noted[];
  /** Whatever may stand there while it is done: whoever is killed meanwhile leaves nothing that nobody knows of. */
  readonly meanwhile: Known;
};

type Wanted = {
  readonly manifests: readonly KubeObject[];
  /** Somebody has taken or changed it since. */
  readonly isMissing: (manifest: KubeObject) => boolean;
};

/** What is unlike that which was applied, and what is wanted no more. A namespace stays: it holds what is of others. */
export function planInstall(known: Known, { manifests, isMissing }: Wanted): Plan {
  const ids = new Set(manifests.map(idOf));
  const apply = manifests.filter(
    (each) => known.get(idOf(each))?.hash !== hashOf(each) || isMissing(each),
  );
  const remove = [...known].filter(([id, { kind }]) => !ids.has(id) && kind !== 'Namespace');
  return {
    apply,
    remove: remove.map(([, each]) => each),
    meanwhile: new Map([...known, ...apply.map((each) => [idOf(each), unsure(each)] as const)]),
  };
}

/** When all of it is done. What was left out is not there. */
export function settledAs({ apply, remove, meanwhile }: Plan, done: readonly KubeObject[]): Known {
  const over = new Set([...apply, ...remove].map(idOf));
  return new Map([
    ...[...meanwhile].filter(([id]) => !over.has(id)),
    ...done.map((each) => [idOf(each), { ...unsure(each), hash: hashOf(each) }] as const),
  ]);
}

function unsure({ apiVersion, kind, metadata }: KubeObject): Noted {
  const { namespace, name = '' } = metadata;
  return { apiVersion, kind, metadata: namespace === undefined ? { name } : { namespace, name } };
}

function hashOf(object: KubeObject): string {
  return createHash('sha256').update(JSON.stringify(object)).digest('base64url');
}

/** As long as the process. */
export function inProcess(): Memory {
  let kept: Known = new Map();
  return {
    read: () => kept,
    write: (known) => {
      kept = known;
    },
  };
}

/** For the next start, too; one file or the other, and each is whole. */
export function inFile(path: string): Memory {
  let kept = readFrom(path);
  return {
    read: () => kept,
    write(known) {
      writeFileSync(`${path}.new`, JSON.stringify([...known.values()]), { mode: 0o600 });
      renameSync(`${path}.new`, path);
      kept = known;
    },
  };
}

/** A file that is damaged tells nothing: all is applied again. */
function readFrom(path: string): Known {
  try {
    const all = JSON.parse(readFileSync(path, 'utf8')) as readonly Noted[];
    return new Map(all.map((each) => [idOf(each), each]));
  } catch {
    return new Map();
  }
}
