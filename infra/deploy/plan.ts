import { isDeepStrictEqual } from 'node:util';
import type { AdmissionFunction, Definition, OnFailure } from '#shared/define.ts';
import { type LabelSelector, labelSelector } from '#shared/domain/selector.ts';
import { resolveConfigured, type Settings, valueAt } from '#shared/domain/settings.ts';
import { type Entries, entriesOf } from '#shared/runtime/admission/entries.ts';

/** Who issues. `files`: somebody that we need not know; the Secret is there. */
export type CertificateSource = 'self' | 'gardener' | 'cert-manager' | 'files';

/** Everything that the manifests are made of. The same plan gives the same bytes. */
export type Plan = {
  /** The enabled ones. */
  readonly definitions: readonly Definition[];
  /** As the cluster's replicas shall see them: the options are laid over already. */
  readonly settings: Settings;
  readonly image: string;
  readonly replicas: number;
  readonly certificates: CertificateSource;
  /** Where the image carries the user's own functions; none where there are none. */
  readonly ownFunctions?: string;
  /** `fused`: pods in one call. `separate`: one entry a function, under the names of what it replaces. `alone`: under our own. */
  readonly grouping: 'fused' | 'separate' | 'alone';
  /** Where the API server finds us. */
  readonly caller: { readonly kind: 'service' } | { readonly kind: 'url'; readonly host: string };
  /** Whether our own loop can evaluate this match condition; if not, the API server must. */
  compiles(expression: string): boolean;
};

export type Admission = AdmissionFunction<never>;

export function admissionsOf({ definitions }: Plan): readonly Admission[] {
  return sorted(definitions.filter(isAdmission));
}

export function sorted<T extends { readonly name: string }>(named: readonly T[]): readonly T[] {
  return named.toSorted((a, b) => compare(a.name, b.name));
}

/** By code unit, as no locale of the machine that renders may change the bytes. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function isAdmission(definition: Definition): definition is Admission {
  return definition.shape === 'admission';
}

/** The very rule that the server goes by. */
export function entriesIn(plan: Plan): Entries<Admission> {
  const admissions = plan.definitions.filter(isAdmission);
  if (plan.grouping !== 'fused') return { fused: [], alone: sorted(admissions) };

  const { fused, alone } = entriesOf(admissions, plan.settings, ({ trigger }) =>
    (trigger.matchConditions ?? []).every(({ expression }) => plan.compiles(expression)),
  );
  return { fused, alone: sorted(alone) };
}

export function onFailureOf({ name, onFailure }: Admission, settings: Settings): OnFailure {
  if (typeof onFailure === 'string') return onFailure;
  const found = valueAt(onFailure.setting, settings) ?? onFailure.fallback;
  if (found === 'deny' || found === 'allow-with-warning') return found;
  throw new Error(
    `$.${onFailure.setting}: expected one of deny, allow-with-warning (what ${name} does on failure), found ${JSON.stringify(found)}`,
  );
}

export function namespaceSelectorOf(
  { trigger }: Admission,
  settings: Settings,
): LabelSelector | undefined {
  if (trigger.namespaceSelector === undefined) return undefined;
  return resolveConfigured(trigger.namespaceSelector, settings, labelSelector);
}

/** Where all share one selector, the API server may apply it; else each is judged in our process. */
export function sharedSelector(
  definitions: readonly Admission[],
  settings: Settings,
): LabelSelector | undefined {
  const [first, ...rest] = definitions.map((each) => namespaceSelectorOf(each, settings));
  return rest.every((selector) => isDeepStrictEqual(selector, first)) ? first : undefined;
}
