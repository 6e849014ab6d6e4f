import { isDeepStrictEqual } from 'node:util';
import { asker } from '#shared/adapters/cluster/ask.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';

export type Installer = {
  /** With all rights. */
  readonly cluster: Cluster;
  /** Applies what has changed since the last time. */
  install(manifests: readonly KubeObject[]): Promise<void>;
  /** Of a service account. */
  token(at: { readonly namespace: string; readonly name: string }): Promise<string>;
  close(): void;
};

const fieldManager = 'gatehouse-dev';
const dayOfSeconds = 86_400;

/** As the person who owns the cluster. */
export async function openInstaller(login: Login): Promise<Installer> {
  const cluster = await openCluster({ login });
  const session = await openSession(login);
  const ask = asker(session, { deadlineMs: 10_000, maxAnswerBytes: 1e6, userAgent: fieldManager });
  const applied = new Map<string, KubeObject>();
  return {
    cluster,
    async install(manifests) {
      for (const each of manifests) {
        const id = `${each.kind} ${each.metadata.namespace}/${each.metadata.name}`;
        if (isDeepStrictEqual(applied.get(id), each)) continue;
        await apply(cluster, each);
        applied.set(id, each);
      }
    },
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

async function apply(cluster: Cluster, object: KubeObject): Promise<void> {
  const { namespace, name = '' } = object.metadata;
  const target = { kind: kindOf(object), namespace, name };
  const written = await cluster.apply(target, object, { fieldManager, force: true });
  if (written.kind === 'written') return;
  throw new Error(`${object.kind} ${name} was not installed: ${JSON.stringify(written)}`);
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
