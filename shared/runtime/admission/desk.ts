import type { AdmissionFunction } from '#shared/define.ts';
import { paths } from '#shared/domain/installation.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { entriesOf } from './entries.ts';
import type { Bound } from './host.ts';
import { isRepeatable } from './questions.ts';
import { leaveManagedFields } from './unread.ts';

/** Who answers where. */
export type Desk = {
  /** `namesCalled` are asked for only where systems that are replaced share a path. */
  at(path: string, namesCalled: () => readonly string[]): Entry | undefined;
};

export type Entry = {
  readonly path: string;
  readonly functions: readonly Bound[];
  readonly judge: Judge;
  /** Where none of the others is meant, an answer may be given again. */
  readonly hasRepeatable: boolean;
  /** Nobody looks at who wrote which field. */
  readonly leavesManagedFields: boolean;
};

/** Who says whether a namespace is a function's: our cache, the cluster that we ask anew, or the API server, which asked. */
export type Judge = 'cache' | 'cluster' | 'api-server';

export type Staff = {
  readonly bound: readonly Bound[];
  readonly isEnabled: (definition: AdmissionFunction, settings: Settings) => boolean;
  readonly settings: () => Settings;
};

/** Follows the settings: a capability that is switched on answers from the next review on. */
export function openDesk({ bound, isEnabled, settings }: Staff): Desk {
  const present = remembered(settings, (now) => {
    const enabled = bound.filter(({ definition }) => isEnabled(definition, now));
    return placed(enabled, now);
  });
  return {
    at: (path, namesCalled) => present().own.get(path) ?? present().upstream(path, namesCalled),
  };
}

function remembered<T>(settings: () => Settings, make: (settings: Settings) => T): () => T {
  let known: { readonly of: Settings; readonly made: T } | undefined;
  return () => {
    const now = settings();
    if (known?.of !== now) known = { of: now, made: make(now) };
    return known.made;
  };
}

function placed(enabled: readonly Bound[], settings: Settings) {
  const byDefinition = new Map(enabled.map((bound) => [bound.definition, bound]));
  const fits = (definition: AdmissionFunction) => byDefinition.get(definition)?.unfit === '';
  const { fused } = entriesOf([...byDefinition.keys()], settings, fits);
  const functions = fused.flatMap((definition) => byDefinition.get(definition) ?? []);

  const own = new Map(enabled.map((bound) => [pathOf(bound), aloneAt(pathOf(bound), bound)]));
  if (functions.length > 0) {
    own.set(paths.fusedPods, entryOf(paths.fusedPods, functions, 'cache'));
  }
  return { own, upstream: upstreamOf(enabled) };
}

function pathOf({ definition: { phase, name } }: Bound): string {
  return paths.alone(phase, name);
}

function aloneAt(path: string, bound: Bound): Entry {
  return entryOf(path, [bound]);
}

/** Two upstream systems share a path; the Service's name in Host or SNI tells them apart, and where it tells nothing both answer. */
function upstreamOf(enabled: readonly Bound[]) {
  const replacing = enabled.filter(({ definition }) => definition.replaces !== undefined);
  const byPath = Map.groupBy(replacing, ({ definition }) => definition.replaces?.path ?? '');
  const entries = new Map([...byPath].map(([path, here]) => [path, entryOf(path, here)]));
  // Made once: by the very entry it is known what was answered there before.
  const narrower = new Map<string, Entry>();
  const narrowed = (path: string, meant: readonly Bound[]): Entry => {
    const key = [path, ...meant.map(({ definition: { name } }) => name)].join(' ');
    const entry = narrower.get(key) ?? entryOf(path, meant);
    narrower.set(key, entry);
    return entry;
  };
  return (path: string, namesCalled: () => readonly string[]): Entry | undefined => {
    const entry = entries.get(path);
    if (entry === undefined || entry.functions.length === 1) return entry;
    return narrowed(path, meantBy(namesCalled(), entry.functions));
  };
}

function entryOf(path: string, functions: readonly Bound[], judge = judgeFor(functions)): Entry {
  return {
    path,
    functions,
    judge,
    hasRepeatable: functions.some(({ definition }) => isRepeatable(definition)),
    leavesManagedFields: leaveManagedFields(functions),
  };
}

/** The API server has selected one of several that may refuse: a cache that is behind would ask another one, or nobody. */
function judgeFor(functions: readonly Bound[]): Judge {
  if (functions.length === 1) return 'api-server';
  return functions.some(({ definition }) => definition.phase === 'validate') ? 'cluster' : 'cache';
}

function meantBy(names: readonly string[], here: readonly Bound[]): readonly Bound[] {
  const meant = here.filter(({ definition }) =>
    names.some((name) => isOfService(name, definition.replaces?.service ?? '')),
  );
  return meant.length === 0 ? here : meant;
}

function isOfService(name: string, service: string): boolean {
  return name === service || name.startsWith(`${service}.`) || name.startsWith(`${service}:`);
}
