import type { Kind } from './kind.ts';
import type { KubeObject } from './kube-object.ts';

/** What one list/watch loop follows: a kind, and what its definitions narrow it to. */
export type Scope = {
  readonly kind: Kind;
  /** One namespace of the cluster; all of them where it is left out. */
  readonly namespace?: string | undefined;
  /** Label and field selectors as the API server takes them: `app=web`, `metadata.name=ca`. */
  readonly labels?: string | undefined;
  readonly fields?: string | undefined;
  /** `PartialObjectMetadata`: the rest of each object stays on the server. */
  readonly metadataOnly?: boolean | undefined;
};

/** One page of a list, or why there is none. An answer that the server did not give is an exception. */
export type Listed =
  | {
      readonly kind: 'page';
      readonly objects: readonly KubeObject[];
      /** Too large for any page: whose it would have been, and of which versions. They are asked for one by one. */
      readonly oversized?: readonly KubeObject[] | undefined;
      /** The collection's version, which the whole list is true for. */
      readonly resourceVersion: string;
      /** Asks for the next page; `undefined` after the last one. */
      readonly continue: string | undefined;
      readonly bytes: number;
    }
  | Refused;

/** What the server answers on purpose instead of what was asked for. */
export type Refused =
  /** 410: the version or the `continue` is too old. */
  | { readonly kind: 'expired'; readonly why: string }
  /** 404: nobody serves this kind; or not in this version. */
  | { readonly kind: 'absent'; readonly why: string }
  /** 401, 403: credentials or rights. Never to be read as a deletion. */
  | { readonly kind: 'forbidden'; readonly why: string }
  /** 429, 5xx, an aggregated API that is dead: wait. */
  | { readonly kind: 'busy'; readonly why: string; readonly afterSeconds: number | undefined }
  /** `Too large resource version`: a replica that lags behind what we have seen. */
  | { readonly kind: 'ahead'; readonly why: string }
  /** 400, 422 on what only newer servers know: streaming lists. */
  | { readonly kind: 'unsupported'; readonly why: string };

/** What a watch says, in the order in which it says it. */
export type Line =
  | {
      readonly kind: 'change';
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: KubeObject;
      /** Of its text, where it came as one. */
      readonly bytes?: number;
    }
  | {
      readonly kind: 'bookmark';
      readonly resourceVersion: string;
      /** A streaming list is complete. */
      readonly isInitialEnd: boolean;
    }
  /** Longer than the cap: the bytes were passed over. What could be read of its beginning names the object. */
  | {
      readonly kind: 'oversized';
      readonly namespace: string | undefined;
      readonly name: string | undefined;
      readonly bytes: number;
    }
  /** Not JSON, or no watch event: what is lost with it only a comparison with a new list can tell. */
  | { readonly kind: 'garbled'; readonly why: string };

/** How a watch ended. A connection that broke ends as `cut`: an end like the others. */
export type WatchEnd =
  | { readonly kind: 'closed' }
  | { readonly kind: 'cut'; readonly why: string }
  /** Nothing, no bookmark either, for longer than a living connection is silent. */
  | { readonly kind: 'idle' }
  | Refused;

/** Once a line is there, and it may be put off to take it to pieces: there are about so many bytes. */
export type BeforeReading = (bytes: number) => Promise<unknown>;

/** A watch that is open. The socket is read only while somebody waits for lines. */
export type Watching = {
  readonly kind: 'open';
  /**
   * What has arrived: at least one line, at most `maxLines` and not many more than `maxBytes`; or the end. What arrives
   * before it is read comes along, and more of it where this watch is behind. A stream that takes nothing to pieces reads
   * at once.
   */
  next(beforeReading?: BeforeReading): Promise<readonly Line[] | WatchEnd>;
  /** Whoever waits is told of an end. */
  close(): void;
};

export type WatchOptions = {
  /** `undefined` asks for a streaming list first. */
  readonly resourceVersion: string | undefined;
  /** The server closes the watch after this long. */
  readonly timeoutSeconds: number;
  /** Without a byte for so long, the connection counts as dead. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
};

/** Of two versions of one kind and epoch, which is later? Only digits compare; anything else is equal or not. */
export function isLater(version: string, than: string): boolean {
  if (version === than) return false;
  if (!digits.test(version) || !digits.test(than)) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}

const digits = /^(0|[1-9]\d*)$/;

type Named = Omit<Scope, 'kind'> & { readonly kind: Pick<Kind, 'group' | 'resource'> };

/** Names a scope in the database, logs and metrics: `deployments.apps`, `secrets/team-a?metadata.name=ca`. */
export function scopeName({ kind, namespace, labels, fields, metadataOnly }: Named): string {
  const resource = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`;
  const place = namespace === undefined ? resource : `${resource}/${namespace}`;
  const narrowed = [labels, fields, metadataOnly ? 'metadata' : undefined].filter(
    (part) => part !== undefined,
  );
  return narrowed.length === 0 ? place : `${place}?${narrowed.join('&')}`;
}

/** What is asked of a kind: all of it where nothing is said. */
export type Asked = {
  /** All of them where it is empty. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** A selector's text. */
  readonly labels?: string | undefined;
};

/** The scopes each of which has every object of a kind that is asked for. */
export function scopesOfAll(
  kind: Pick<Kind, 'group' | 'resource'>,
  { namespace, name, labels }: Asked = {},
): readonly string[] {
  const fields = name === undefined ? undefined : `metadata.name=${name}`;
  return choices(namespace === '' ? undefined : namespace).flatMap((place) =>
    choices(labels).flatMap((selected) =>
      choices(fields).flatMap((one) =>
        [false, true].map((metadataOnly) =>
          scopeName({ kind, namespace: place, labels: selected, fields: one, metadataOnly }),
        ),
      ),
    ),
  );
}

/** It may be narrowed by this, or not. */
function choices(narrowed: string | undefined): readonly (string | undefined)[] {
  return narrowed === undefined || narrowed === '' ? [undefined] : [undefined, narrowed];
}
