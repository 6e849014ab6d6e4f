import type { AdmissionFunction } from '#shared/define.ts';
import { paths } from '#shared/domain/installation.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { entriesOf } from './entries.ts';
import type { Bound } from './host.ts';

/** Who answers where. */
export type Desk = {
  readonly fused: () => Entry | undefined;
  readonly alone: (phase: string, name: string) => Entry | undefined;
  /** Of the systems that are replaced one by one. */
  readonly upstreamPaths: readonly string[];
  readonly upstream: (path: string, namesCalled: readonly string[]) => Entry | undefined;
};

export type Entry = {
  readonly path: string;
  readonly functions: readonly Bound[];
  readonly judge: 'cache' | 'api-server';
};

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
    fused: () => present().fused,
    alone: (phase, name) =>
      present().alone.get(paths.alone(phase === 'mutate' ? phase : 'validate', name)),
    upstreamPaths: [...new Set(bound.flatMap(({ definition }) => definition.replaces?.path ?? []))],
    upstream: (path, names) => called(present().enabled, path, names),
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
  return {
    enabled,
    fused:
      functions.length === 0
        ? undefined
        : ({ path: paths.fusedPods, functions, judge: 'cache' } satisfies Entry),
    alone: new Map(enabled.map((bound) => [pathOf(bound), aloneAt(pathOf(bound), bound)])),
  };
}

function pathOf({ definition: { phase, name } }: Bound): string {
  return paths.alone(phase, name);
}

function aloneAt(path: string, bound: Bound): Entry {
  return { path, functions: [bound], judge: 'api-server' };
}

/** Two upstream systems share a path; the Service's name in Host or SNI tells them apart, and where it tells nothing both answer. */
function called(
  enabled: readonly Bound[],
  path: string,
  names: readonly string[],
): Entry | undefined {
  const here = enabled.filter(({ definition }) => definition.replaces?.path === path);
  const meant = here.filter(({ definition }) =>
    names.some((name) => isOfService(name, definition.replaces?.service ?? '')),
  );
  const functions = meant.length === 0 ? here : meant;
  const [first] = functions;
  if (first === undefined) return undefined;
  return functions.length === 1 ? aloneAt(path, first) : { path, functions, judge: 'cache' };
}

function isOfService(name: string, service: string): boolean {
  return name === service || name.startsWith(`${service}.`) || name.startsWith(`${service}:`);
}
