import type { JsonObject } from '#shared/domain/json.ts';
import { configMaps, type Kind, namespaces, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { widgets } from './widgets.ts';

export type Crowd = { readonly pods: number; readonly others: number; readonly spaces: number };

/** Seeded: the same run twice makes the same objects, though not at the same moments. */
export function diceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Of the fake API server, which has written before it answers, or of one that is written to by and by. */
export type Writes = {
  create(kind: Kind, object: KubeObject): { readonly uid: string };
  patch(kind: Kind, at: Place, patch: JsonObject): unknown;
  delete(kind: Kind, at: Place): unknown;
  find(kind: Kind, at: Place): unknown;
  /** Until all of it is written, and in the ledger; at once where it is left out. */
  written?(): Promise<void>;
};

export type Marks = {
  /** Known when they are written. */
  readonly uids: readonly string[];
  /** Deletes them; no other one of their names comes after them, by which their end could be told. */
  end(): void;
  /** Of whose change nothing tells but that, if nothing is written to them after it. */
  change(): void;
};

export type Traffic = {
  /** One write, or two of a deletion that is followed by another object of the same name. */
  step(): void;
  /** Another label for a namespace. */
  relabel(): void;
  /** A change of every pod. */
  touchAll(): void;
  /** A new object of each kind. */
  mark(): Marks;
  /** Until nothing of it is on its way. */
  written(): Promise<void>;
  /** No more of them until they are served again. */
  withWidgets(are: boolean): void;
};

/** Writes to an API server: creates, changes, deletes, and deletes with another one of the same name after it. */
export function trafficOn(objects: Writes, crowd: Crowd, random: () => number): Traffic {
  let serial = 0;
  let hasWidgets = true;
  const pick = (count: number) => Math.floor(random() * count);
  const spaces = Array.from({ length: crowd.spaces }, (_, at) => `team-${at}`);
  for (const name of spaces) objects.create(namespaces, bare(namespaces, { name }));

  const place = (kind: Kind, count: number) => {
    const at = pick(count);
    return { name: `${kind.resource}-${at}`, namespace: spaces[at % spaces.length] ?? 'default' };
  };
  const create = (kind: Kind, at: Place) => {
    const isGold = random() < 0.3;
    const labels = { part: 'data', ...(kind === pods && isGold ? { tier: 'gold' } : {}) };
    objects.create(kind, { ...bare(kind, { ...at, labels }), ...contentOf(kind, serial) });
  };
  const change = (kind: Kind, at: Place) => {
    const isData = random() < 0.5;
    const losesGold = kind === pods && random() < 0.1;
    const labels = { part: isData ? 'data' : 'labels', turn: `${serial}` };
    objects.patch(kind, at, {
      metadata: { labels: { ...labels, ...(losesGold ? { tier: null } : {}) } },
      ...(isData ? contentOf(kind, serial) : {}),
    });
  };
  const act = (kind: Kind, at: Place) => {
    serial += 1;
    if (objects.find(kind, at) === undefined) return create(kind, at);
    const dice = random();
    if (dice > 0.12) return change(kind, at);
    objects.delete(kind, at);
    if (dice > 0.05) create(kind, at);
  };
  return {
    step() {
      const dice = random();
      if (dice < 0.7) act(pods, place(pods, crowd.pods));
      else if (dice < 0.92 || !hasWidgets) act(configMaps, place(configMaps, crowd.others));
      else act(widgets, place(widgets, crowd.others));
    },
    relabel() {
      serial += 1;
      const name = spaces[pick(spaces.length)] ?? 'default';
      objects.patch(namespaces, { name }, { metadata: { labels: { turn: `${serial}` } } });
    },
    touchAll() {
      for (let at = 0; at < crowd.pods; at += 1) {
        serial += 1;
        const one = { name: `pods-${at}`, namespace: spaces[at % spaces.length] ?? 'default' };
        if (objects.find(pods, one) !== undefined) change(pods, one);
      }
    },
    mark() {
      serial += 1;
      const at = { name: `mark-${serial}`, namespace: 'default' };
      const marked = [pods, configMaps, ...(hasWidgets ? [widgets] : [])].map((kind) => {
        const object = { ...bare(kind, { ...at }), ...contentOf(kind, serial) };
        return { kind, created: objects.create(kind, object) };
      });
      const there = () =>
        marked
          .map(({ kind }) => kind)
          .filter((kind) => kind !== widgets || hasWidgets)
          .filter((kind) => objects.find(kind, at) !== undefined);
      return {
        get uids() {
          return marked.map(({ created }) => created.uid);
        },
        end() {
          for (const kind of there()) objects.delete(kind, at);
        },
        change() {
          serial += 1;
          const metadata = { labels: { part: 'data', turn: `${serial}` } };
          for (const kind of there())
            objects.patch(kind, at, { metadata, ...contentOf(kind, serial) });
        },
      };
    },
    written: async () => objects.written?.(),
    withWidgets(are) {
      hasWidgets = are;
    },
  };
}

type Place = { readonly name: string; readonly namespace?: string };

function bare({ kind, group, version }: Kind, metadata: KubeObject['metadata']): KubeObject {
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, metadata };
}

function contentOf(kind: Kind, serial: number) {
  if (kind === configMaps) return { data: { serial: `${serial}` } };
  // What of a pod may change.
  if (kind === pods) return { spec: { containers: [{ name: 'app', image: `app:${serial}` }] } };
  return { spec: { serial } };
}
