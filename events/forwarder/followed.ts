import {
  fieldSelectorText,
  matchesFields,
  parseFieldSelector,
} from '#shared/domain/field-selector.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { matchesLabels, parseSelector, selectorText } from '#shared/domain/selector.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { type Scope, scopeName } from '#shared/domain/watched.ts';

/** One watch of one function. Another fingerprint is another trigger. */
export type Subscription = {
  readonly function: string;
  readonly watch: Watch;
};

/** One list/watch loop, and whom its events may wake. */
export type Followed = {
  readonly scope: Scope;
  readonly subscriptions: readonly Subscription[];
  /** Somebody is woken for all of them: whoever expands such a set asks how far the mirror reaches. */
  readonly isOfSets?: true;
};

/** The fewest loops that see everything: no object is in two of them, so that each row has one writer. */
export function followedFrom(
  subscriptions: readonly Subscription[],
  reads: readonly Scope[] = [],
): readonly Followed[] {
  const wanted: readonly Followed[] = [
    ...subscriptions.map((each) => ({ scope: scopeOf(each.watch), subscriptions: [each] })),
    ...reads.map((scope) => ({ scope, subscriptions: [] })),
  ];
  const ofSets = new Set(subscriptions.flatMap(({ watch }) => kindOfSets(watch)));
  return wanted
    .reduce(joined, [])
    .map((each) =>
      ofSets.has(scopeName({ kind: each.scope.kind }))
        ? { ...each, isOfSets: true as const }
        : each,
    )
    .toSorted((a, b) => (scopeName(a.scope) < scopeName(b.scope) ? -1 : 1));
}

function kindOfSets({ wakes }: Watch): readonly string[] {
  return wakes !== undefined && 'all' in wakes ? [scopeName({ kind: wakes.all })] : [];
}

/** Labels and fields narrow a watch only where the definition says so: they change, and then it is no deletion. */
export function scopeOf({ of, namespace, name, atServer = false, ...watch }: Watch): Scope {
  const labels = atServer ? labelsAsked(watch) : undefined;
  const fields = name === undefined ? (atServer ? fieldsAsked(watch) : undefined) : nameField(name);
  const metadataOnly = watch.metadataOnly === true || isSecret(of);
  return {
    kind: of,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(fields === undefined ? {} : { fields }),
    ...(metadataOnly ? { metadataOnly } : {}),
  };
}

/** What selects everything is no selector. */
function labelsAsked({ labels = {} }: Pick<Watch, 'labels'>): string | undefined {
  return selectorText(labels) || undefined;
}

/** However it is spelled: by its text a scope is known, and one with a name by that. */
function fieldsAsked({ fields = '' }: Pick<Watch, 'fields'>): string | undefined {
  return fieldSelectorText(parseFieldSelector(fields) ?? []) || undefined;
}

/** Its data stays on the server, whatever a definition says. */
export function isSecret({ group, resource }: Kind): boolean {
  return group === '' && resource === 'secrets';
}

function nameField(name: string): string {
  return `metadata.name=${name}`;
}

/** With another condition beside it, an object of the name may leave the scope: that is a selector like others. */
const byName = /^metadata\.name=(?<name>[^,]*)$/;

/** What overlaps becomes one; what that overlaps in turn as well. */
function joined(done: readonly Followed[], next: Followed): readonly Followed[] {
  const other = done.find(({ scope }) => overlap(scope, next.scope));
  if (other === undefined) return [...done, next];
  const both = {
    scope: cover(other.scope, next.scope),
    subscriptions: [...other.subscriptions, ...next.subscriptions],
  };
  return joined(
    done.filter((each) => each !== other),
    both,
  );
}

function overlap(a: Scope, b: Scope): boolean {
  if (a.kind.group !== b.kind.group || a.kind.resource !== b.kind.resource) return false;
  return !differ(a.namespace, b.namespace) && !differ(nameIn(a), nameIn(b));
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** Of the one object, by its name, that it follows in each of its namespaces. */
export function nameIn({ fields }: Pick<Scope, 'fields'>): string | undefined {
  return byName.exec(fields ?? '')?.groups?.['name'];
}

function cover(a: Scope, b: Scope): Scope {
  const { namespace, labels, fields } = a;
  return {
    kind: a.kind,
    ...(namespace !== undefined && namespace === b.namespace ? { namespace } : {}),
    ...(labels !== undefined && labels === b.labels ? { labels } : {}),
    ...(fields !== undefined && fields === b.fields ? { fields } : {}),
    ...(a.metadataOnly && b.metadataOnly ? { metadataOnly: true } : {}),
  };
}

/** An object may leave it without being deleted: by another label or another value of a field. */
export function isSelected({ labels, fields }: Scope): boolean {
  return labels !== undefined || (fields !== undefined && nameIn({ fields }) === undefined);
}

/** As the API server judges it. What cannot be judged here (fields of an object's metadata alone) is believed to match. */
export function isWithin(object: KubeObject, { labels, fields, metadataOnly }: Scope): boolean {
  const selector = labels === undefined ? undefined : parseSelector(labels);
  if (selector !== undefined && !matchesLabels(selector, object.metadata.labels ?? {}))
    return false;
  if (fields === undefined || metadataOnly) return true;
  return matchesFields(parseFieldSelector(fields) ?? [], object);
}

/** Whom it may wake, each with the fingerprint of its trigger here. */
export function triggersOf({ subscriptions }: Followed): ReadonlyMap<string, string> {
  const byFunction = Map.groupBy(subscriptions, (each) => each.function);
  return new Map([...byFunction].map(([name, own]) => [name, fingerprintOf(own)]));
}

/** Of the trigger, not of the function: another one must be woken for all that exists. Makers of keys wake nobody. */
export function fingerprintOf(subscriptions: readonly Subscription[]): string {
  return JSON.stringify(subscriptions.map(({ watch: { indexes: _, ...watch } }) => watch));
}
