import { refusalOf } from '#shared/adapters/cluster/failure.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { namespaces } from '#shared/domain/kind.ts';
import { trouble } from '../../../cli/output.ts';

/** The cluster's own uid, by the first question that it is asked; throws, in words for people, where it does not answer. */
export async function firstContact(path: string): Promise<string> {
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path } });
  try {
    const system = await cluster.find({ kind: namespaces, name: 'kube-system' });
    return system?.metadata.uid ?? 'unknown';
  } catch (cause: unknown) {
    throw unreached(cause, path);
  } finally {
    cluster.close();
  }
}

function unreached(cause: unknown, path: string): Error {
  const said = cause instanceof Error ? cause.message : String(cause);
  const [what, mend] = wordsFor(refusalOf(cause)?.status, path);
  const inner = cause instanceof Error ? cause.cause : undefined;
  return trouble(what, { where: [path, said], mend, cause: inner });
}

function wordsFor(status: number | undefined, path: string): readonly [string, string] {
  const kubectl = `kubectl --kubeconfig ${path} get nodes`;
  switch (status) {
    case 401:
      return ['the cluster does not know who we are', `log in anew, until ${kubectl} answers`];
    case 403:
      return [
        'the cluster does not let us look at it',
        'name the kubeconfig of an administrator: it makes a namespace, roles and webhooks',
      ];
    default:
      return ['the cluster does not answer', `see from here why ${kubectl} has no answer`];
  }
}
