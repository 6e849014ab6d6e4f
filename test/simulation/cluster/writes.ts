import { apiVersion, type Kind, namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { widgets } from '../cast.ts';
import type { Dice } from '../dice.ts';
import { type ClusterState, keyOf, newUid, write } from './state.ts';

const spaces = ['blue', 'red'] as const;
const names = ['a', 'b', 'c', 'd'] as const;

/** How many different widgets there are: with few, more happens to each. */
const crowds = [1, 2, 4] as const;

type Place = { readonly namespace: string; readonly name: string };

/** What is there before anybody looks. */
export function populate(state: ClusterState, dice: Dice): void {
  state.crowd = dice.pick(crowds);
  for (const name of spaces)
    put(state, namespaces, made(state, namespaces, { name, namespace: '' }));
  for (const name of names) {
    if (dice.chance(0.6)) create(state, { namespace: dice.pick(spaces), name }, dice);
  }
}

/** One of the things that somebody does to the cluster. What was done, or nothing. */
export function writeSomething(state: ClusterState, dice: Dice): string | undefined {
  if (dice.chance(0.2)) return relabelNamespace(state, dice);
  if (state.served === undefined) return undefined;

  const name = names[dice.below(state.crowd)] ?? names[0];
  const at: Place = { namespace: state.crowd === 1 ? spaces[0] : dice.pick(spaces), name };
  const there = state.objects.get(keyOf(widgets.resource, at));
  if (there === undefined) return create(state, at, dice);
  return change(state, there, dice);
}

function change(state: ClusterState, there: KubeObject, dice: Dice): string | undefined {
  const { namespace, name } = there.metadata;
  const at = `${namespace}/${name}`;
  switch (dice.below(5)) {
    case 0:
      return done(remove(state, widgets, there), `delete ${at}`);
    case 1:
      remove(state, widgets, there);
      return create(state, { namespace: namespace ?? '', name: name ?? '' }, dice);
    case 2:
      return done(put(state, widgets, labelled(there, tierOf(dice))), `relabel ${at}`);
    case 3:
      return done(put(state, widgets, annotated(there, dice)), `annotate ${at}`);
    default:
      return done(put(state, widgets, respecified(there, dice)), `modify ${at}`);
  }
}

function done(isDone: boolean, what: string): string | undefined {
  return isDone ? what : undefined;
}

function create(state: ClusterState, at: Place, dice: Dice): string | undefined {
  const object = labelled(made(state, widgets, at), tierOf(dice));
  return done(put(state, widgets, object), `create ${at.namespace}/${at.name}`);
}

function tierOf(dice: Dice): Readonly<Record<string, string>> {
  return { tier: dice.pick(['web', 'db']) };
}

function relabelNamespace(state: ClusterState, dice: Dice): string | undefined {
  const name = dice.pick(spaces);
  const there = state.objects.get(keyOf(namespaces.resource, { name }));
  if (there === undefined) return undefined;
  const team = dice.pick(['a', 'b', 'c']);
  const isNews = there.metadata.labels?.['team'] !== team;
  // Whoever is made from here on is in no set that this makes.
  const next = labelled(isNews ? { ...there, spec: { uids: state.uids } } : there, { team });
  return done(put(state, namespaces, next), `relabel namespace ${name}`);
}

function made(state: ClusterState, kind: Kind, { namespace, name }: Place): KubeObject {
  const uid = newUid(state);
  const place = kind.namespaced ? { namespace } : {};
  return {
    apiVersion: apiVersion(kind),
    kind: kind.kind,
    metadata: { ...place, name, uid },
    spec: { size: 0 },
  };
}

function labelled(object: KubeObject, labels: Readonly<Record<string, string>>): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels } };
}

function annotated(object: KubeObject, dice: Dice): KubeObject {
  const annotations = { note: String(dice.below(1_000)) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function respecified(object: KubeObject, dice: Dice): KubeObject {
  return { ...object, spec: { size: dice.below(1_000) } };
}

function put(state: ClusterState, { resource }: Kind, object: KubeObject): boolean {
  return write(state, { resource, object });
}

function remove(state: ClusterState, { resource }: Kind, object: KubeObject): boolean {
  return write(state, { resource, object, isGone: true });
}

/** One after another; how many they were. */
export function removeAll(state: ClusterState): number {
  const there = [...state.objects.values()].filter(({ kind }) => kind === widgets.kind);
  return there.filter((object) => remove(state, widgets, object)).length;
}

/** With its definition go all objects of a kind, one after another; behind an aggregated API they outlive it. */
export function removeKind(state: ClusterState, isKept: boolean): boolean {
  const there = [...state.objects.values()].filter(({ kind }) => kind === widgets.kind);
  if (state.revision + there.length >= state.ceiling) return false;
  if (!isKept) removeAll(state);
  state.served = undefined;
  return true;
}
