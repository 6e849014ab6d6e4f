import { asker } from '#shared/adapters/cluster/ask.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, Target } from '#shared/ports.ts';
import { type RemoveNow, removerOf } from '../world/real/remove-now.ts';
import { inProcess, type Memory, type Noted, planInstall, settledAs } from './installed.ts';
import { objectsIn } from './manifests.ts';

export type Installer = {
  /** With all rights. */
  readonly cluster: Cluster;
  readonly removeNow: RemoveNow;
  /** Applies what has changed since the last time, and removes what is not wanted any more. */
  install(manifests: readonly KubeObject[]): Promise<void>;
  /** Of a service account. */
  token(at: { readonly namespace: string; readonly name: string }): Promise<string>;
  close(): void;
};

/** Whether this is to be applied; throws where nothing may be. */
export type Door = (target: Target, cluster: Cluster) => Promise<boolean>;

export type Watch = {
  readonly door?: Door;
  /** Whether the cluster has it, from the time before: then it is not applied again. */
  readonly isThere?: (target: Target, object: KubeObject) => boolean;
  /** What was installed; without a file for it, only what this process has. */
  readonly memory?: Memory;
};

const fieldManager = 'gatehouse-dev';
const dayOfSeconds = 86_400;

/** As the person who owns the cluster. */
export async function openInstaller(login: Login, watch: Watch = {}): Promise<Installer> {
  const cluster = await openCluster({ login });
  const session = await openSession(login);
  const ask = asker(session, { deadlineMs: 10_000, maxAnswerBytes: 1e6, userAgent: fieldManager });
  return {
    cluster,
    removeNow: removerOf(session),
    install: oneByOne(installing(cluster, watch)),
    async token({ namespace, name }) {
      const answer = await ask({
        what: `have a token for ${namespace}/${name}`,
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { expirationSeconds: 30 * dayOfSeconds },
        },
      });
      return tokenIn(answer.body);
    },
    close() {
      cluster.close();
      session.close();
    },
  };
}

/** A save and a change of the configuration may come together. */
function oneByOne<T>(act: (given: T) => Promise<void>): (given: T) => Promise<void> {
  let last = Promise.resolve();
  return (given) => {
    const now = last.then(() => act(given));
    last = now.catch(() => {});
    return now;
  };
}

function installing(cluster: Cluster, { door, isThere, memory = inProcess() }: Watch) {
  const looking = lookingOnce(isThere);
  const applyOne = async (each: KubeObject): Promise<readonly KubeObject[]> => {
    const target = targetOf(each);
    if (door !== undefined && !(await door(target, cluster))) return [];
    await apply(cluster, target, each);
    return [each];
  };
  return async (manifests: readonly KubeObject[]) => {
    const plan = planInstall(memory.read(), { manifests, isMissing: looking.isMissing });
    if (plan.apply.length + plan.remove.length > 0) {
      memory.write(plan.meanwhile);
      const applied: KubeObject[] = [];
      for (const wave of wavesOf(plan.apply)) {
        applied.push(...(await Promise.all(wave.map(applyOne))).flat());
      }
      for (const wave of wavesOf(plan.remove).toReversed()) {
        await Promise.all(wave.map((each) => remove(cluster, targetOf(each))));
      }
      memory.write(settledAs(plan, applied));
    }
    looking.over();
  };
}

/** From the time before; what this process has applied it need not look for. */
function lookingOnce(isThere: Watch['isThere']) {
  let isFirst = isThere !== undefined;
  return {
    isMissing: (each: KubeObject) => isFirst && isThere?.(targetOf(each), each) === false,
    over: () => {
      isFirst = false;
    },
  };
}

/** Only what still is as we made it, and not what somebody has put in its place. */
async function remove(cluster: Cluster, target: Target): Promise<void> {
  const found = await cluster.find(target);
  const managers = found?.metadata['managedFields'];
  const isOurs = objectsIn(managers).some(({ manager }) => manager === fieldManager);
  if (found === undefined || !isOurs) return;
  const write = await cluster.delete(target, { uid: found.metadata.uid });
  if (write.kind === 'written' || write.kind === 'not-found') return;
  throw new Error(`${found.kind} ${target.name} stays: ${write.why}`);
}

/** Who is called must have been given all that it needs before, and what is bound must be there. */
function wavesOf<T extends { readonly kind: string }>(manifests: readonly T[]): readonly T[][] {
  return waves.map((wave) => manifests.filter(({ kind }) => waveOf(kind) === wave));
}

const waves = [0, 1, 2, 3] as const;

function waveOf(kind: string): (typeof waves)[number] {
  if (kind === 'Namespace') return 0;
  if (kind.endsWith('WebhookConfiguration')) return 3;
  return kind.endsWith('Binding') ? 2 : 1;
}

async function apply(cluster: Cluster, target: Target, object: KubeObject): Promise<void> {
  const written = await cluster.apply(target, object, { fieldManager, force: true });
  if (written.kind === 'written') return;
  throw new Error(`${object.kind} ${target.name} was not installed: ${JSON.stringify(written)}`);
}

export function targetOf(object: Noted | KubeObject): Target {
  const { namespace, name = '' } = object.metadata;
  return { kind: kindOf(object), namespace, name };
}

/** Of those that we render, which have plain plurals all. */
function kindOf({ apiVersion, kind, metadata }: Noted | KubeObject): Kind {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const resource = `${kind.toLowerCase()}s`;
  return { group, version, kind, resource, namespaced: metadata.namespace !== undefined };
}

function tokenIn(body: unknown): string {
  const { status } = body as { readonly status?: { readonly token?: string } };
  if (status?.token === undefined) throw new Error('the API server gave no token');
  return status.token;
}
