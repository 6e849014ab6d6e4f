import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { elementOf } from './elements.ts';
import { kindOf, type ListShape, type MapShape, type Shape } from './shapes.ts';

/** The live object with what the configuration states; nothing goes by this. */
export function mergedWith(shape: Shape, live: Json, config: Json): Json {
  const kind = kindOf(shape, config);
  if (kind === 'map' && shape.map !== undefined) return ofMap(shape.map, live, config);
  if (kind === 'list' && shape.list !== undefined) return ofList(shape.list, live, config);
  return config;
}

function ofMap(shape: MapShape, live: Json, config: Json): Json {
  const [one, other] = [isJsonObject(live) ? live : {}, isJsonObject(config) ? config : {}];
  const isLeaf = Object.keys(one).length + Object.keys(other).length === 0;
  return shape.atomic || isLeaf ? config : byField(shape, one, other);
}

function byField(shape: MapShape, live: JsonObject, config: JsonObject): JsonObject {
  const merged: { [field: string]: Json } = { ...live };
  for (const [field, value] of Object.entries(config)) {
    const was = live[field];
    merged[field] = was === undefined ? value : mergedWith(shape.at(field).shape, was, value);
  }
  return merged;
}

function ofList(shape: ListShape, live: Json, config: Json): Json {
  const [one, other] = [isList(live) ? live : [], isList(config) ? config : []];
  if (shape.atomic || one.length + other.length === 0) return config;
  return byItem(shape, one, other);
}

type Named = { readonly element: string; readonly item: Json };

/** Ordered as the configuration is; what it does not know stays before what followed it in the live list. */
function byItem(shape: ListShape, live: readonly Json[], config: readonly Json[]): Json {
  const [left, right] = [named(shape, live), named(shape, config)];
  const [lives, configs] = [alone(left), alone(right)];
  const shared = right.filter(({ element }) => lives.has(element));
  const done = new Set<string>();
  const taken = (item: Named | undefined): readonly Json[] => {
    if (item === undefined) return [];
    done.add(item.element);
    if (shared[0] === item) shared.shift();
    return [itemOf(shape, item, lives)];
  };
  const out: Json[] = [];
  while (left.length + right.length > 0) {
    const step = nextStep({ one: left[0], other: right[0], configs, done, wanted: shared[0] });
    const kept = step === 'take' ? undefined : left.shift();
    if (step === 'keep' && kept !== undefined) out.push(kept.item);
    if (step === 'take' || step === 'both') out.push(...taken(right.shift()));
  }
  return out;
}

function itemOf(
  shape: ListShape,
  { element, item }: Named,
  lives: ReadonlyMap<string, Json>,
): Json {
  const was = lives.get(element);
  return was === undefined || was === null ? item : mergedWith(shape.item, was, item);
}

type Turn = {
  readonly one: Named | undefined;
  readonly other: Named | undefined;
  readonly configs: ReadonlyMap<string, unknown>;
  readonly done: ReadonlySet<string>;
  /** The next item of the configuration that the live list has as well. */
  readonly wanted: Named | undefined;
};

type Step = 'both' | 'keep' | 'skip' | 'take';

function nextStep({ one, other, configs, done, wanted }: Turn): Step {
  if (one === undefined) return 'take';
  if (one.element === other?.element) return 'both';
  if (!configs.has(one.element)) return 'keep';
  if (other === undefined || (wanted !== undefined && wanted.element !== one.element))
    return 'skip';
  // A twin of what is merged already gives way to the item that follows.
  return done.has(one.element) ? 'both' : 'take';
}

function named(shape: ListShape, items: readonly Json[]): Named[] {
  return items.flatMap((item) => {
    const element = elementOf(shape, item);
    return typeof element === 'string' ? [{ element, item }] : [];
  });
}

/** Null for a name that stands twice: with which of the two would one merge? */
function alone(items: readonly Named[]): ReadonlyMap<string, Json> {
  const index = new Map<string, Json>();
  for (const { element, item } of items) index.set(element, index.has(element) ? null : item);
  return index;
}
