import type { Reading } from '#infra/emulator/cluster/parts.ts';
import type { JsonObject } from '#shared/domain/json.ts';

export type ObjectsRead = Reading & {
  /** Puts it in the place of the one of that name. */
  put(...objects: readonly JsonObject[]): void;
  remove(kind: string, at: { readonly namespace?: string; readonly name: string }): void;
};

/** What the store would show, in memory; a kind is told from the object itself. */
export function objectsRead(...first: readonly JsonObject[]): ObjectsRead {
  const kept = new Map<string, Map<string, JsonObject>>();
  const listeners = new Map<string, (() => void)[]>();
  const of = (kind: string) => kept.get(kind) ?? new Map<string, JsonObject>();
  const changed = (kind: string) => {
    for (const listener of listeners.get(kind) ?? []) listener();
  };
  const reading: ObjectsRead = {
    find: (kind, { namespace = '', name }) => of(kind).get(`${namespace}/${name}`),
    list(kind, namespace) {
      return [...of(kind)]
        .filter(([key]) => namespace === undefined || key.startsWith(`${namespace}/`))
        .map(([, object]) => object);
    },
    onChange(kind, listener) {
      listeners.set(kind, [...(listeners.get(kind) ?? []), listener]);
    },
    put(...objects) {
      for (const object of objects) {
        const kind = kindOf(object);
        kept.set(kind, of(kind).set(keyOf(object), object));
        changed(kind);
      }
    },
    remove(kind, { namespace = '', name }) {
      of(kind).delete(`${namespace}/${name}`);
      changed(kind);
    },
  };
  reading.put(...first);
  return reading;
}

function keyOf({ metadata }: JsonObject): string {
  const { namespace = '', name } = metadata as { namespace?: string; name: string };
  return `${namespace}/${name}`;
}

function kindOf({ apiVersion, kind }: JsonObject): string {
  const plural = String(kind)
    .toLowerCase()
    .replace(/(?<!s)$/, 's')
    .replace(/ss$/, 'sses');
  const [group, version] = String(apiVersion).split('/');
  return version === undefined ? plural : `${plural}.${group}`;
}
