import { refusalOf } from '#shared/adapters/cluster/failure.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
import { trouble } from '../../../cli/output.ts';
import { callingKinds, madeKinds } from './made-kinds.ts';

const reviews: Kind = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  resource: 'selfsubjectaccessreviews',
  namespaced: false,
};

type Verb = 'list' | 'create' | 'patch' | 'delete';
type Right = { readonly verb: Verb; readonly kind: Kind };

export type Errand = {
  /** The kubeconfig. */
  readonly path: string;
  readonly verbs: readonly Verb[];
  readonly registersWebhooks: boolean;
};

export const making: readonly Verb[] = ['list', 'create', 'patch', 'delete'];
export const cleaning: readonly Verb[] = ['list', 'delete'];

/** Asked before anything is changed: who stops half way leaves half of it there. */
export async function refuseWithoutRights(cluster: Cluster, errand: Errand): Promise<void> {
  const { path, verbs, registersWebhooks } = errand;
  const kinds = madeKinds
    .flat()
    .filter((kind) => registersWebhooks || !callingKinds.includes(kind));
  const wanted = kinds.flatMap((kind) => verbs.map((verb) => ({ verb, kind })));
  const answers = await Promise.all(
    wanted.map(async (right) => ({ right, isGranted: await isGranted(cluster, right) })),
  );
  const lacking = answers.filter(({ isGranted }) => !isGranted).map(({ right }) => right);
  if (lacking.length === 0) return;
  throw trouble('this account may not do in the cluster what is to be done there', {
    where: [path, ...kinds.flatMap((kind) => lackingOf(kind, lacking))],
    mend: needed,
  });
}

const needed =
  'name the kubeconfig of an administrator (the ClusterRole cluster-admin is enough), or have these rights granted; nothing was changed there';

function lackingOf(kind: Kind, lacking: readonly Right[]): readonly string[] {
  const verbs = lacking.filter((each) => each.kind === kind).map(({ verb }) => verb);
  const name = [kind.resource, kind.group].filter(Boolean).join('.');
  return verbs.length === 0 ? [] : [`it may not ${verbs.join(', ')} ${name}`];
}

async function isGranted(cluster: Cluster, { verb, kind }: Right): Promise<boolean> {
  const { group, resource } = kind;
  const written = await cluster.create(reviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { verb, group, resource } },
  });
  // Who may not even ask is told by the cluster itself what he lacks.
  if (written.kind !== 'written') return true;
  const { status } = written.object;
  return isJsonObject(status) && status['allowed'] === true;
}

/** Nobody may grant more than he has: of that no review tells beforehand. */
export function refusedThere(cause: unknown, path: string): unknown {
  if (refusalOf(cause)?.status !== 403) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  return trouble('the cluster refuses what is to be made there', {
    where: [path, said],
    mend: 'name the kubeconfig of an administrator: whoever grants a role must have the rights in it; what was made is removed',
  });
}
