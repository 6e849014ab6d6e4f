import type { AdmissionFunction, AdmissionTrigger, MatchCondition } from '#shared/define.ts';
import { manager, paths, webhookNames } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type ConfiguredPlace, resolvePlace } from '#shared/domain/place.ts';
import type { LabelRequirement, LabelSelector } from '#shared/domain/selector.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { exemption, isExempting } from './fail-closed.ts';
import { manifest } from './manifest.ts';
import {
  type Admission,
  admissionsOf,
  compare,
  entriesIn,
  namespaceSelectorOf,
  onFailureOf,
  type Plan,
  sharedSelector,
} from './plan.ts';
import { rulesOf } from './webhook-rules.ts';

type Phase = AdmissionFunction['phase'];

type Entry = {
  readonly configuration: string;
  readonly webhook: JsonObject;
  readonly asks: readonly Admission[];
};

const kinds = {
  mutate: 'MutatingWebhookConfiguration',
  validate: 'ValidatingWebhookConfiguration',
} as const;

/** Without caBundle: it is filled at run time, and a GitOps tool that owned it would take it out again. */
export function webhookManifests(plan: Plan): readonly KubeObject[] {
  const { fused, alone } = entriesIn(plan);
  const own = (phase: Phase) =>
    alone.filter((each) => each.phase === phase).map((each) => ownEntry(plan, each));
  return [
    ...configurationsOf('mutate', [...fusedEntry(plan, fused), ...own('mutate')]),
    ...configurationsOf('validate', own('validate')),
  ];
}

function configurationsOf(phase: Phase, entries: readonly Entry[]): readonly KubeObject[] {
  return [...Map.groupBy(entries, ({ configuration }) => configuration)].map(([name, group]) =>
    manifest(
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: kinds[phase],
        name,
        annotations: summariesOf(group.flatMap(({ asks }) => asks)),
      },
      { webhooks: group.map(({ webhook }) => webhook) },
    ),
  );
}

export function summariesOf(
  definitions: readonly { readonly name: string; readonly summary?: string }[],
): Record<string, string> {
  return Object.fromEntries(
    definitions.flatMap(({ name, summary }) =>
      summary === undefined ? [] : [[`function.gatehouse.io/${name}`, summary]],
    ),
  );
}

function fusedEntry(plan: Plan, asks: readonly Admission[]): readonly Entry[] {
  if (asks.length === 0) return [];

  const webhook = {
    ...basics(plan, 'mutate'),
    name: webhookNames.fusedPods,
    clientConfig: clientConfig(plan, { path: paths.fusedPods }),
    failurePolicy: 'Ignore',
    rules: rulesOf(asks.map(({ trigger }) => trigger)),
    ...selecting('namespaceSelector', sharedSelector(asks, plan.settings)),
  };
  return [{ configuration: manager, webhook, asks }];
}

function ownEntry(plan: Plan, definition: Admission): Entry {
  const { name, phase, trigger } = definition;
  const replaces = plan.grouping === 'separate' ? definition.replaces : undefined;
  const failsClosed = onFailureOf(definition, plan.settings) === 'deny';
  const selector = namespaceSelectorOf(definition, plan.settings);

  const webhook = {
    ...basics(plan, phase),
    name: replaces?.webhook ?? webhookNames.alone(phase, name),
    clientConfig: clientConfig(plan, {
      path: pathOf(definition, replaces),
      ...serviceOf(replaces),
    }),
    failurePolicy: failsClosed ? 'Fail' : 'Ignore',
    rules: rulesOf([trigger]),
    ...selecting(
      'namespaceSelector',
      isExempting(definition, plan.settings)
        ? leavingOut(exemption(plan.settings), selector)
        : selector,
    ),
    ...selecting('objectSelector', trigger.objectSelector),
    ...conditionsOf(trigger, plan.settings),
  };
  return { configuration: replaces?.configuration ?? manager, webhook, asks: [definition] };
}

/** Two that refuse share upstream's path: by their own, the API server alone says which of them is asked. */
function pathOf({ phase, name }: Admission, replaces: Admission['replaces']): string {
  const own = paths.alone(phase, name);
  return phase === 'validate' ? own : (replaces?.path ?? own);
}

function serviceOf(replaces: Admission['replaces']): { readonly service?: string } {
  return replaces === undefined ? {} : { service: replaces.service };
}

function basics({ settings }: Plan, phase: Phase): JsonObject {
  return {
    admissionReviewVersions: ['v1'],
    matchPolicy: 'Equivalent',
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: settings.server.timeoutSeconds,
    ...(phase === 'mutate' ? { reinvocationPolicy: 'IfNeeded' } : {}),
  };
}

function clientConfig(
  { caller, settings }: Plan,
  { path, service }: { readonly path: string; readonly service?: string },
): JsonObject {
  if (caller.kind === 'url') return { url: `https://${caller.host}${path}` };
  const { namespace, service: own } = settings.installation;
  return { service: { name: service ?? own, namespace, path, port: 443 } };
}

function leavingOut(requirement: LabelRequirement, selector: LabelSelector = {}): LabelSelector {
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), requirement] };
}

function conditionsOf(
  { object, matchConditions = [] }: AdmissionTrigger,
  settings: Settings,
): JsonObject {
  const conditions = [
    ...(object === undefined ? [] : [isAt(object, settings)]),
    ...matchConditions,
  ];
  if (conditions.length === 0) return {};
  return { matchConditions: conditions.map(({ name, expression }) => ({ name, expression })) };
}

/**
 * Nothing else of the kind waits for us, or is refused while we are down. By the object's own name: the request has none
 * where a whole collection is deleted. Names hold nothing that CEL would read.
 */
function isAt(place: ConfiguredPlace, settings: Settings): MatchCondition {
  const { namespace, name } = resolvePlace(place, settings);
  const own = "(request.operation == 'DELETE' ? oldObject : object).metadata.name";
  const expression = `request.namespace == '${namespace}' && ${own} == '${name}'`;
  return { name: 'this-object-alone', expression };
}

/** An empty selector matches everything, as none does. */
function selecting(key: string, selector: LabelSelector | undefined): JsonObject {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const parts = {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
    ...(matchExpressions.length === 0
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ key, operator, values = [] }) => ({
            key,
            operator,
            ...(values.length === 0 ? {} : { values }),
          })),
        }),
  };
  return Object.keys(parts).length === 0 ? {} : { [key]: parts };
}

/** The Services that stand in for those of the replaced systems. */
export function replacedServices(plan: Plan): readonly string[] {
  if (plan.grouping !== 'separate') return [];
  const names = admissionsOf(plan).flatMap(({ replaces }) =>
    replaces === undefined ? [] : [replaces.service],
  );
  return [...new Set(names)].toSorted(compare);
}
