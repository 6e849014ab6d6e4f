import type { Kind } from './kind.ts';
import type { KubeObject } from './kube-object.ts';
import type { ConfiguredName, ConfiguredPlace } from './place.ts';
import type { LabelSelector } from './selector.ts';

/** Which changes wake the function. An object matches when it did before the change or does after it. */
export type Watch = {
  readonly of: Kind;
  /** A watch that is narrowed to these is a role that is. A Secret is watched by its name, and no other way. */
  readonly namespace?: string;
  readonly name?: string;
  /** Instead of both: where the settings say that one object is, or what objects of all namespaces are called. */
  readonly place?: ConfiguredPlace | ConfiguredName;
  /** Paths in the settings: another value of theirs wakes for everything, as another trigger does. */
  readonly settings?: readonly [string, ...string[]];
  readonly labels?: LabelSelector;
  /** `spec.nodeName=worker-1`, of the fields that the API server selects by. */
  readonly fields?: string;
  /** Labels and fields are sent along: only what matches is mirrored. For kinds of which few matter. */
  readonly atServer?: boolean;
  /** Only metadata is watched and mirrored, so that nothing else can be filtered by. Secrets are so in any case, and without annotations. */
  readonly metadataOnly?: boolean;
  /** An object that begins to match is `added` here, and `modified` as well; with `atServer` a new one is, too: who can tell? */
  readonly on?: readonly [Change, ...Change[]];
  /**
   * A modification wakes only where something at or below one of these changed: `/spec`, `/metadata/labels`; or where by it
   * the object begins or ceases to match, or has another owner to be woken.
   */
  readonly changed?: readonly [string, ...string[]];
  /** Who is woken; the object itself where it is left out. */
  readonly wakes?: Wakes;
  /** By what the mirror finds objects of this kind beside names, labels and owners; each has a pure maker of its keys. */
  readonly indexes?: Readonly<Record<string, (object: KubeObject) => readonly string[]>>;
};

export type Change = 'added' | 'modified' | 'deleted';

export type Wakes =
  /** The owner of this kind that its ownerReferences name. */
  | { readonly owner: Kind }
  /** All objects of this kind in its namespace, or at all if they are in none; of a Namespace, in the one that it is. So it is followed. */
  | { readonly all: Kind };
