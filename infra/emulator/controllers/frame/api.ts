import { collectionPath, objectPath, wordsFor } from '#shared/adapters/cluster/address.ts';
import type { Answer } from '#shared/adapters/cluster/answer.ts';
import type { Ask, Question } from '#shared/adapters/cluster/ask.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion, type Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { conflict, done, type Outcome, retry } from '#shared/domain/outcome.ts';
import type { Target } from '#shared/ports.ts';
import { mergePatched } from '../../cluster/patching/merge-patch.ts';
import type { Thing } from '../shapes/meta.ts';

/** What the server answers on purpose is a value. */
export type Written =
  | { readonly kind: 'written'; readonly object: KubeObject }
  | { readonly kind: 'conflict'; readonly why: string }
  | { readonly kind: 'not-found' }
  /** The namespace is being emptied: nothing more is made in it. */
  | { readonly kind: 'ending' }
  /** 403, 422: of itself it will not be taken next time either. 429, 5xx: perhaps. */
  | { readonly kind: 'refused'; readonly status: number; readonly why: string };

export type Stated = object & {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
};

export type Removal = {
  readonly uid: string;
  readonly graceSeconds?: number;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** It goes only as it was seen. */
  readonly resourceVersion?: string;
};

export type Api = {
  create<T extends Stated>(kind: Kind, object: T): Promise<Written>;
  /** To a subresource that is an action: `binding`. */
  act(target: Target, body: object): Promise<Written>;
  /** A merge patch, on the condition that the object is still of this version. */
  patch(target: Target, body: object, resourceVersion: string): Promise<Written>;
  replace(target: Target, object: object): Promise<Written>;
  /** The whole object, with the change in it: to patch, most of the real ones have no right. */
  update(target: Target, known: Thing, change: object): Promise<Written>;
  remove(target: Target, removal: Removal): Promise<Written>;
  removeAll(kind: Kind, namespace: string): Promise<Written>;
  find(target: Target): Promise<KubeObject | undefined>;
};

/** Told of what was written, so that the shelves know at once. */
export type Echo = {
  wrote(kind: Kind, object: KubeObject): void;
  removed(target: Target, uid: string): void;
};

export function openApi(ask: Ask, echo: Echo): Api {
  const write = async (kind: Kind, question: Question) => {
    const written = fromAnswer(await ask(question));
    if (written.kind === 'written') echo.wrote(kind, written.object);
    return written;
  };
  return {
    create: (kind, object) => write(kind, creation(kind, object)),
    act: (target, body) => asked(ask, 'POST', { target, body }),
    patch: (target, body, version) => write(target.kind, patching(target, body, version)),
    replace: (target, body) => write(target.kind, question('PUT', { target, body })),
    update: (target, known, change) =>
      write(target.kind, question('PUT', { target, body: changed(known, change) })),
    async remove(target, removal) {
      const removed = await asked(ask, 'DELETE', { target, body: deleteOptions(removal) });
      if (removed.kind === 'written') echo.removed(target, removal.uid);
      return removed;
    },
    removeAll: async (kind, namespace) => {
      const path = collectionPath(kind, namespace);
      return fromAnswer(await ask({ what: `delete all of ${path}`, method: 'DELETE', path }));
    },
    find: (target) => find(ask, target),
  };
}

/** What a controller makes of a write that did not happen: it looks again. */
export function outcomeOf(written: Written): Outcome {
  switch (written.kind) {
    case 'written':
    case 'not-found':
    case 'ending':
      return done;
    case 'conflict':
      return conflict(written.why);
    case 'refused':
      return retry(`${written.status} ${written.why}`);
  }
}

/** The first of several writes that has to be done again. */
export function outcomeOfAll(all: readonly Written[]): Outcome {
  return all.map(outcomeOf).find(({ kind }) => kind !== 'done') ?? done;
}

type Body = { readonly target: Target; readonly body: object };

async function asked(ask: Ask, method: 'POST' | 'DELETE', body: Body): Promise<Written> {
  return fromAnswer(await ask(question(method, body)));
}

function question(method: Question['method'], { target, body }: Body): Question {
  return { what: `${method} ${wordsFor(target)}`, method, path: objectPath(target), body };
}

function creation(kind: Kind, object: Stated): Question {
  return {
    what: `create ${kind.resource}`,
    method: 'POST',
    path: collectionPath(kind, object.metadata.namespace),
    body: { apiVersion: apiVersion(kind), kind: kind.kind, ...object },
  };
}

function patching(target: Target, body: object, resourceVersion: string): Question {
  const { metadata, ...rest } = body as { readonly metadata?: object };
  return {
    ...question('PATCH', { target, body: {} }),
    contentType: 'application/merge-patch+json',
    body: { ...rest, metadata: { ...metadata, resourceVersion } },
  };
}

function changed(known: Thing, change: object): object {
  // An object of the API is JSON.
  return mergePatched(known as unknown as JsonObject, change as JsonObject);
}

function deleteOptions({ uid, resourceVersion, graceSeconds, propagation }: Removal): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { uid, ...(resourceVersion !== undefined && { resourceVersion }) },
    ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
    propagationPolicy: propagation ?? 'Background',
  };
}

/** Events and conditions say why in the server's own words. */
function fromAnswer({ status, body, reasons, ...said }: Answer): Written {
  const why = said.message || said.why;
  if (status >= 200 && status < 300 && isJsonObject(body)) {
    return { kind: 'written', object: body as KubeObject };
  }
  if (status === 404) return { kind: 'not-found' };
  if (status === 409 || status === 412) return { kind: 'conflict', why };
  if (reasons.includes('NamespaceTerminating')) return { kind: 'ending' };
  return { kind: 'refused', status, why };
}

async function find(ask: Ask, target: Target): Promise<KubeObject | undefined> {
  const what = `get ${wordsFor(target)}`;
  const { status, body, why } = await ask({ what, method: 'GET', path: objectPath(target) });
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`cannot ${what}: ${status} ${why}`);
  return body as KubeObject;
}
