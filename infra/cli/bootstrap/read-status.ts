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

type Asked = { readonly settings: Settings; readonly namespace?: string | undefined };

/** From the cluster itself, as the webhook would see it now: no process of ours is needed, and no database. */
export async function readStatus(
  cluster: Cluster,
  { settings, namespace }: Asked,
): Promise<Status> {
  const keeper = keepDocument(() => {});
  const documents = openBootstrapDocuments(cluster, {
    settings: { current: () => settings },
    keeper,
  });
  const house = await houseOf(settings, documents, new Date());
  if (house === undefined) throw nothingAsked(settings);

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

function nothingAsked({ podBootstrap }: Settings): Error {
  const { namespace, name } = podBootstrap.configMap;
  return trouble('nothing is done to pods: no feature is available', {
    where: `podBootstrap.document makes none available, and neither does ConfigMap ${namespace}/${name}`,
    mend: 'see that --config names the file that is served, and gatehouse config check says that the document is good',
  });
}
