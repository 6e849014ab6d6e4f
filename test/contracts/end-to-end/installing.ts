import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { configFile } from '#infra/deploy/configuration.ts';
import { type Request, render } from '#infra/deploy/render.ts';
import { kubeconfigFor } from '#infra/emulator/cluster/serving/kubeconfig.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Definition } from '#shared/define.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Target } from '#shared/ports.ts';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';
import { builtInDefinitions } from '#test/infra/deploy/built-in.ts';
import { planOf, theOne } from '#test/infra/deploy/samples.ts';
import { objectOf } from '../cluster/place.ts';
import { uniqueName } from '../list-watch/place.ts';
import { kindOf } from './kind-of.ts';
import type { Place } from './place.ts';

export type Installed = {
  readonly namespace: string;
  readonly definitions: readonly Definition[];
  readonly manifests: readonly KubeObject[];
  /** The path of a kubeconfig: what a pod of the admission server may do, and no more. */
  readonly kubeconfig: string;
  remove(): Promise<void>;
};

export type Wish = Pick<Request, 'separate' | 'database'> & {
  readonly settings: Partly<Settings>;
  /** One of its own where it is left out. */
  readonly namespace?: string;
  /** Those that are switched on; all of them where it is left out. */
  readonly capabilities?: readonly string[];
};

const usual: Wish = {
  settings: { nodeAffinity: { pools: ['cpu-worker-0'] } },
  separate: true,
  database: 'none',
};

/** All that is rendered, as an operator applies it; the pods of the Deployment are of no program. */
export async function install(place: Place, wish = usual): Promise<Installed> {
  const namespace = wish.namespace ?? uniqueName('gatehouse');
  const definitions = (await builtInDefinitions()).filter(
    ({ capability }) => wish.capabilities?.includes(capability) ?? true,
  );
  const manifests = rendered(namespace, definitions, wish);
  for (const name of neededBy(manifests)) await ensured(place, name);
  for (const each of manifests) await applied(place, each);
  const kubeconfig = await kubeconfigOf(place, { namespace, name: 'gatehouse-admission' });
  return {
    ...{ namespace, definitions, manifests, kubeconfig },
    async remove() {
      for (const each of manifests) await place.cluster.delete(targetOf(each));
    },
  };
}

function rendered(
  namespace: string,
  definitions: readonly Definition[],
  { settings: stated, separate, database }: Wish,
): readonly KubeObject[] {
  const installation = { ...stated.installation, namespace };
  const settings = settingsFixed({ ...stated, installation }).current();
  const compiles = (text: string) => compileCondition(text).ok;
  const plan = planOf({ definitions, settings, compiles });
  const result = render({ target: 'kubernetes', plan, separate, database, host: undefined });
  if (result.kind === 'refused') throw new Error(result.why);
  return result.manifests;
}

/** A role may be of a namespace that the platform has made long before. */
function neededBy(manifests: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(manifests.flatMap(({ metadata }) => metadata.namespace ?? []));
}

async function ensured({ cluster }: Place, name: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const written = await cluster.create(namespaces, object);
  if (written.kind !== 'written' && written.kind !== 'conflict') throw new Error(written.kind);
}

async function applied({ cluster }: Place, object: KubeObject): Promise<void> {
  const options = { fieldManager: 'render', force: true };
  objectOf(await cluster.apply(targetOf(object), reachable(object), options));
}

/** Without kube-proxy no Service leads anywhere but one of this kind. */
function reachable(object: KubeObject): KubeObject {
  if (object.kind !== 'Service') return object;
  return { ...object, spec: { type: 'ExternalName', externalName: 'localhost' } };
}

export function targetOf(object: KubeObject): Target {
  const { namespace, name = '' } = object.metadata;
  return { kind: kindOf(object), namespace, name };
}

type Account = { readonly namespace: string; readonly name: string };

/** The path of one: what this account may do, and no more. */
export async function kubeconfigOf(
  { installer, server }: Place,
  account: Account,
): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'account-')), 'kubeconfig');
  const token = await installer.token(account);
  const given = { server: server.url, ca: server.ca, name: 'account', user: { token } };
  writeFileSync(path, kubeconfigFor(given), { mode: 0o600 });
  return path;
}

/** Those of the rendered ConfigMap, for a process that shares its machine with others. */
export function settingsOf({ settle }: Place, { manifests }: Installed): Partly<Settings> {
  const config = theOne(manifests, 'ConfigMap')['data'] as Readonly<Record<string, string>>;
  const { certificates, ...stated } = parse(config[configFile] ?? '');
  return {
    ...{ ...stated, certificates: { ...certificates, settle } },
    server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
  };
}

/** As `render` has it, but for the port, behind which our process serves. */
export async function calledAt(place: Place, { manifests }: Installed, port: number) {
  for (const each of manifests.filter(({ kind }) => kind.endsWith('WebhookConfiguration'))) {
    const hooks = each['webhooks'] as readonly JsonObject[];
    const webhooks = hooks.map((hook) => {
      const config = isJsonObject(hook['clientConfig']) ? hook['clientConfig'] : {};
      const service = { ...(config['service'] as JsonObject), port };
      return { ...hook, clientConfig: { ...config, service } };
    });
    await applied(place, { ...each, webhooks });
  }
}
