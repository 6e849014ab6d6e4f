import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type KindOf, nameOfKind } from '../shapes/kinds.ts';
import type { Thing } from '../shapes/meta.ts';
import type { Echo } from './api.ts';
import { type Following, follow } from './follow.ts';
import { type Filling, openShelf, type Shelf } from './shelf.ts';

export type Shelves = {
  whole<T extends Thing>(kind: KindOf<T>): Shelf<T>;
  /** The whole objects where they are followed anyway. */
  metadataOf(kind: Kind): Shelf<Thing>;
  all(): readonly Shelf<Thing>[];
  readonly echo: Echo;
  /** When every kind that was asked for until now has been listed. */
  synced(): Promise<unknown>;
  onTrouble(listener: (kind: string, why: string) => void): void;
};

type Options = Pick<Following, 'stream' | 'signal' | 'pause'> & { now(): Date };
type Entry = { readonly shelf: Shelf<Thing> & Filling<Thing>; readonly isSynced: Promise<void> };

/** One watch a kind, shared by all who ask for it, opened when the first one does. */
export function openShelves({ now, ...options }: Options): Shelves {
  const whole = new Map<string, Entry>();
  const metadata = new Map<string, Entry>();
  const listeners: ((kind: string, why: string) => void)[] = [];
  const entries = () => [...whole.values(), ...metadata.values()];

  const open = (kind: Kind, metadataOnly: boolean): Entry => {
    const shelf = openShelf<Thing>(kind);
    const { promise: isSynced, resolve: onSynced } = Promise.withResolvers<void>();
    options.signal.addEventListener('abort', () => onSynced(), { once: true });
    const onTrouble = (why: string) => {
      for (const listener of listeners) listener(nameOfKind(kind), why);
    };
    const kept = metadataOnly ? bare : entire;
    const following = follow({ kind, metadataOnly }, shelf, {
      ...options,
      kept,
      onSynced,
      onTrouble,
    });
    following.catch((cause: unknown) => onTrouble(String(cause)));
    return { shelf, isSynced };
  };
  const entryOf = (kept: Map<string, Entry>, kind: Kind, metadataOnly: boolean) => {
    const name = nameOfKind(kind);
    const entry = kept.get(name) ?? open(kind, metadataOnly);
    kept.set(name, entry);
    return entry;
  };

  return {
    whole: <T extends Thing>(kind: KindOf<T>) =>
      // The kind says what its objects are.
      entryOf(whole, kind, false).shelf as unknown as Shelf<T>,
    metadataOf: (kind) => {
      const known = whole.get(nameOfKind(kind));
      return (known ?? entryOf(metadata, kind, true)).shelf;
    },
    all: () => entries().map(({ shelf }) => shelf),
    echo: {
      wrote(kind, object) {
        const name = nameOfKind(kind);
        whole.get(name)?.shelf.echo(entire(object));
        metadata.get(name)?.shelf.echo(bare(object));
      },
      removed({ kind, namespace = '', name }, uid) {
        for (const entry of [whole.get(nameOfKind(kind)), metadata.get(nameOfKind(kind))]) {
          entry?.shelf.markLeaving(`${namespace}/${name}`, uid, now().toISOString());
        }
      },
    },
    synced: () => Promise.all(entries().map(({ isSynced }) => isSynced)),
    onTrouble: (listener) => {
      listeners.push(listener);
    },
  };
}

/** Here an object of the API gets its type: the server has checked that it is one. */
function entire({ metadata, ...object }: KubeObject): Thing {
  // All else is sent back when it is written as a whole.
  const { managedFields: _, ...kept } = metadata;
  return { ...object, metadata: kept } as unknown as Thing;
}

function bare({ apiVersion, kind, metadata }: KubeObject): Thing {
  const kept = ['name', 'namespace', 'uid', 'resourceVersion', 'labels', 'ownerReferences'];
  const life = ['finalizers', 'creationTimestamp', 'deletionTimestamp'];
  const own = [...kept, ...life].filter((key) => metadata[key] !== undefined);
  const left = Object.fromEntries(own.map((key) => [key, metadata[key]]));
  return { apiVersion, kind, metadata: left } as unknown as Thing;
}
