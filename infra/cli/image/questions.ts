import { openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { modeOf } from '#shared/domain/image-trust/namespace-trust.ts';
import { foundPod, isOver } from '#shared/domain/image-trust/recheck.ts';
import { imagesIn, slotsToVerify } from '#shared/domain/image-trust/slots.ts';
import { pullerOf } from '#shared/domain/image-trust/trust-pod.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import type { Cluster, ImagesAsked } from '#shared/ports.ts';
import { trouble } from '../output.ts';

/** One image, in one place, on behalf of one account. */
export type Question = {
  readonly image: string;
  readonly namespace: Namespace;
  readonly pod: ImagesAsked['pod'];
  /** How many ask for it so; none where only its name is given. */
  readonly pods: number;
};

export type Where = {
  /** These, whatever their labels say; where none is named, those in which images are verified. */
  readonly names: readonly string[];
  readonly isAll: boolean;
  readonly signal: AbortSignal;
};

/** What runs in the cluster, or will. */
export async function questionsIn(cluster: Cluster, where: Where): Promise<readonly Question[]> {
  const namespaces = await namespacesIn(cluster, where);
  const known = new Map<string, Question>();
  for await (const { image, namespace, pod } of asking(cluster, namespaces, where)) {
    const key = JSON.stringify([image, pod]);
    const pods = (known.get(key)?.pods ?? 0) + 1;
    known.set(key, { image, namespace, pod, pods });
  }
  return [...known.values()];
}

type Namespaces = ReadonlyMap<string, Namespace>;

async function namespacesIn(cluster: Cluster, { names, isAll }: Where): Promise<Namespaces> {
  const { findLive, list } = openNamespaces(cluster);
  const found =
    names.length > 0
      ? await Promise.all(names.map(async (name) => (await findLive(name)) ?? noSuch(name)))
      : (await list({})).filter(({ labels }) => isAll || modeOf(labels) !== undefined);
  return new Map(found.map((each) => [each.name, each]));
}

function noSuch(name: string): never {
  throw trouble(`there is no namespace ${name}`, { mend: 'name one that the cluster has' });
}

async function* asking(cluster: Cluster, namespaces: Namespaces, { names, signal }: Where) {
  // Whoever names namespaces may have no right to look into the others.
  const lists = names.length > 0 ? [...namespaces.keys()] : [undefined];
  for (const of of lists) {
    for await (const object of cluster.list(pods, { namespace: of })) {
      if (signal.aborted) return;
      yield* imagesOf(object, namespaces);
    }
  }
}

function imagesOf(
  object: KubeObject,
  namespaces: Namespaces,
): readonly Pick<Question, 'image' | 'namespace' | 'pod'>[] {
  const { namespace: name = '', uid = '' } = object.metadata;
  const namespace = namespaces.get(name);
  const found = foundPod(object, uid);
  if (namespace === undefined || found === undefined || isOver(found)) return [];
  const pod = pullerOf(found.pod, name);
  return imagesIn(slotsToVerify(found.pod, undefined)).map((image) => ({ image, namespace, pod }));
}

/** One a line; what follows a `#` is a remark. */
export function imagesListed(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/(?:^|\s)#.*$/, '').trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
