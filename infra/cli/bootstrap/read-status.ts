import { openBootstrapDocuments } from '#shared/adapters/cluster/bootstrap-documents.ts';
import { openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { pods } from '#shared/domain/kind.ts';
import { keepDocument } from '#shared/domain/pod-bootstrap/document-keeper.ts';
import {
  type Generation,
  generationOf,
  unjudgedGeneration,
} from '#shared/domain/pod-bootstrap/housekeeping/generation.ts';
import { houseOf } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import { lookOver } from '#shared/domain/pod-bootstrap/housekeeping/look-over.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Cluster } from '#shared/ports.ts';
import { trouble } from '../output.ts';
import { openWaiting } from './waiting.ts';

export type Status = {
  /** The hash of what counts now. */
  readonly configuration: string;
  readonly bundle: { readonly name: string; readonly is: string } | undefined;
  /** Why no pod at all is restarted, as far as the cluster says it. */
  readonly hindered: string | undefined;
  readonly pods: readonly Generation[];
};

/** What pods are to have is known to replicas alone. */
export type Unread = {
  /** What stands in the cluster, and why nobody can read it. */
  readonly document: string;
  readonly problem: string;
  readonly replicas: string;
};

type Asked = { readonly settings: Settings; readonly namespace?: string | undefined };

/** From the cluster itself, as the webhook would see it now: no process of ours is needed, and no database. */
export async function readStatus(
  cluster: Cluster,
  { settings, namespace }: Asked,
): Promise<Status | Unread> {
  const keeper = keepDocument(() => {});
  const documents = openBootstrapDocuments(cluster, {
    settings: { current: () => settings },
    keeper,
  });
  const house = await houseOf(settings, documents, new Date());
  if (house === undefined) {
    const [problem] = await documents.problems();
    if (problem === undefined) throw nothingAsked(settings);
    return { document: placeIn(settings), problem, replicas };
  }

  const { configuration, bundle, trustBundle } = house;
  const listed = cluster.list(pods, { namespace });
  const waiting = await openWaiting(cluster, house);
  const found: Generation[] = [];
  const places = openNamespaces(cluster);
  for await (const each of lookOver(listed, house, places.find)) {
    if (each.kind === 'unjudged') {
      found.push(unjudgedGeneration(each));
      continue;
    }
    const why = await waiting.whyOf(each.looked, each.namespace);
    found.push(generationOf(each.looked, configuration.hash, why));
  }
  const is = trustBundle.kind === 'present' ? trustBundle.hash : trustBundle.kind;
  return {
    configuration: configuration.hash,
    bundle: bundle === undefined ? undefined : { name: bundle, is },
    hindered: waiting.everywhere,
    pods: found.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)),
  };
}

function placeOf({ namespace, pod }: Generation): string {
  return `${namespace}/${pod}`;
}

const replicas =
  'each goes by the last good document that it has read since it was started, which it alone knows; its measure bootstrap_document says which';

export function cannotBeRead({ document, problem, replicas }: Unread): Error {
  return trouble('the document of pod bootstrap cannot be read', {
    where: [`${document}: ${problem}`, `replicas: ${replicas}`],
    mend: 'mend the document; gatehouse config check FILE says when it is good, and --config names the file that is served',
  });
}

function nothingAsked(settings: Settings): Error {
  return trouble('nothing is done to pods: no feature is available', {
    where: `podBootstrap.document makes none available, and neither does ${placeIn(settings)}`,
    mend: 'see that --config names the file that is served, and that the document has availableFeatures',
  });
}

function placeIn({ podBootstrap }: Settings): string {
  const { namespace, name } = podBootstrap.configMap;
  return `ConfigMap ${namespace}/${name}`;
}
