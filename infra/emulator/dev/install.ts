import { isDeepStrictEqual } from 'node:util';
import { asker } from '#shared/adapters/cluster/ask.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, Target } from '#shared/ports.ts';
import { idOf } from './manifests.ts';

export type Installer = {
  /** With all rights. */
  readonly cluster: Cluster;
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

function installing(cluster: Cluster, { door, isThere }: Watch) {
  const applied = new Map<string, KubeObject>();
  const applyOne = async (each: KubeObject) => {
    if (isDeepStrictEqual(applied.get(idOf(each)), each)) return;
    const target = targetOf(each);
    if (door !== undefined && !(await door(target, cluster))) return;
    if (isThere?.(target, each) !== true) await apply(cluster, target, each);
    applied.set(idOf(each), each);
  };
  return async (manifests: readonly KubeObject[]) => {
    for (const wave of wavesOf(manifests)) await Promise.all(wave.map(applyOne));
    const wanted = new Set(manifests.map(idOf));
    for (const [id, each] of applied) {
      if (wanted.has(id) || each.kind === 'Namespace') continue;
      await cluster.delete(targetOf(each));
      applied.delete(id);
    }
  };
}

/** Who is called must have been given all that it needs before, and what is bound must be there. */
function wavesOf(manifests: readonly KubeObject[]): readonly (readonly KubeObject[])[] {
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

export function targetOf(object: KubeObject): Target {
  const { namespace, name = '' } = object.metadata;
  return { kind: kindOf(object), namespace, name };
}

/** Of those that we render, which have plain plurals all. */
function kindOf({ apiVersion, kind, metadata }: KubeObject): Kind {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const resource = `${kind.toLowerCase()}s`;
  return { group, version, kind, resource, namespaced: metadata.namespace !== undefined };
}

function tokenIn(body: unknown): string {
  const { status } = body as { readonly status?: { readonly token?: string } };
  if (status?.token === undefined) throw new Error('the API server gave no token');
  return status.token;
}
