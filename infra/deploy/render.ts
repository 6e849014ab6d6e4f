import type { KubeObject } from '#shared/domain/kube-object.ts';
import { accountManifests, functionRights } from './accounts.ts';
import { configFile, configMap, statedSettings } from './configuration.ts';
import { toDatabase } from './database.ts';
import { priorityClass } from './deployments.ts';
import { type Refusal, refusalOf } from './fail-closed.ts';
import { extraNames } from './issued-certificate.ts';
import { knativeAddresses, knativeManifests } from './knative.ts';
import { kubernetesManifests, namespaceOf } from './kubernetes.ts';
import { lambdaFunctions, serverlessYaml } from './lambda/serverless.ts';
import { inOrder } from './manifest.ts';
import { networkPolicies } from './network.ts';
import type { Plan } from './plan.ts';
import { forwarderManifests, workerManifests } from './queue-roles.ts';
import { mergeRights } from './rights.ts';
import { webhookManifests } from './webhooks.ts';
import { yamlOf } from './yaml.ts';

export type Target = 'kubernetes' | 'knative' | 'lambda';

export type Request = {
  readonly target: Target;
  readonly plan: Omit<Plan, 'grouping' | 'caller'>;
  readonly separate: boolean;
  /** `secret`: one that names a Postgres, for all roles. `none`: the admission server alone. */
  readonly database: 'secret' | 'none';
  /** Of the HTTP API, for the lambda target: what the API server calls. */
  readonly host: string | undefined;
};

export type File = { readonly path: string; readonly text: string };

export type Rendered =
  | {
      readonly kind: 'rendered';
      /** For the cluster. */
      readonly manifests: readonly KubeObject[];
      /** For elsewhere. */
      readonly files: readonly File[];
    }
  | ({ readonly kind: 'refused' } & Refusal);

export function render(request: Request): Rendered {
  const plan = planOf(request);
  const refusal = refusalOf(plan);
  if (refusal !== undefined) return { kind: 'refused', ...refusal };

  const { manifests, files } = made(plan, request);
  return { kind: 'rendered', manifests: inOrder(manifests), files };
}

function planOf({ target, plan, separate, host }: Request): Plan {
  if (target !== 'lambda') {
    const grouping = separate ? 'separate' : 'fused';
    const whole = named({ ...plan, grouping, caller: { kind: 'service' } });
    return target === 'knative' ? posting(whole) : whole;
  }
  // One function is one Lambda, and there is no process that could ask several of them in one call.
  const definitions = lambdaFunctions(plan.definitions);
  return { ...plan, definitions, grouping: 'alone', caller: { kind: 'url', host: host ?? '' } };
}

/** The worker posts to where each function answers; what the operator has set counts more. */
function posting(plan: Plan): Plan {
  const { worker } = plan.settings;
  const services = { ...knativeAddresses(plan), ...worker.services };
  return { ...plan, settings: { ...plan.settings, worker: { ...worker, services } } };
}

/** A leaf of our own must carry the names of the Services that we stand in for. */
function named(plan: Plan): Plan {
  const certificates = { ...plan.settings.certificates, dnsNames: extraNames(plan) };
  return { ...plan, settings: { ...plan.settings, certificates } };
}

type Made = { readonly manifests: readonly KubeObject[]; readonly files: readonly File[] };

function made(plan: Plan, { target, database, host }: Request): Made {
  switch (target) {
    case 'kubernetes':
      return {
        manifests: [...kubernetesManifests(plan), ...onDatabase(plan, database)],
        files: [],
      };
    case 'knative':
      return { manifests: [...knativeManifests(plan), ...onDatabase(plan, database)], files: [] };
    case 'lambda':
      return {
        manifests: host === undefined ? [] : clusterOfLambda(plan, database),
        files: [{ path: 'serverless.yml', text: serverlessYaml(plan) }, ...configFiles(plan)],
      };
  }
}

function onDatabase(plan: Plan, database: Request['database']): readonly KubeObject[] {
  if (database === 'none') return [];
  return [
    toDatabase('admission', plan),
    ...workerManifests(plan),
    ...forwarderManifests(plan, 'postgres'),
  ];
}

/** Who the functions are in the cluster, and the forwarder: the one part that always stays there. */
function clusterOfLambda(plan: Plan, database: Request['database']): readonly KubeObject[] {
  return [
    ...namespaceOf(plan),
    ...accountManifests('lambda', mergeRights(functionRights(plan)), plan),
    ...webhookManifests(plan),
    ...(database === 'secret'
      ? [
          priorityClass,
          configMap(plan.settings),
          ...networkPolicies(plan),
          ...forwarderManifests(plan, 'sqs'),
        ]
      : []),
  ];
}

/** Packaged beside the bundles, where the settings differ from the presets. */
function configFiles({ settings }: Plan): readonly File[] {
  const stated = statedSettings(settings);
  return Object.keys(stated).length === 0 ? [] : [{ path: configFile, text: yamlOf(stated) }];
}
