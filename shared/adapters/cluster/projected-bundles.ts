import { podTemplates } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { BootstrapDocuments, Clock, Cluster, SettingsPort } from '#shared/ports.ts';
import { within } from '../within.ts';
import { freshCache } from './fresh-cache.ts';

/** What becomes of a pod's ClusterTrustBundle sources: an API server whose gate is off stores the volume without them. */
type Projection = 'kept' | 'dropped' | 'unknown';

export type ProjectedBundles = (documents: BootstrapDocuments) => BootstrapDocuments;

/** A gate changes when the API server is started anew; a right is given at any time. */
const lifeOf: Readonly<Record<Projection, number>> = {
  kept: 300_000,
  dropped: 30_000,
  unknown: 10_000,
};

const deadlineMs = 1_000;
/** The very same each time: who was told it before hears that nothing has changed. */
const notProjected = { kind: 'not-projected' } as const;

/** Documents that name no bundle which pods would not get: an empty volume would hide the certificates that an image has. */
export function projectedBundles(
  cluster: Cluster,
  { settings, clock }: { readonly settings: SettingsPort; readonly clock?: Clock },
): ProjectedBundles {
  // An outage takes nothing back, and neither does a server that says something else (a 429).
  let told: Projection = 'unknown';
  const projections = freshCache<Projection>({
    load: async (namespace) => {
      const heard = await within(deadlineMs, tried(cluster, namespace)).catch(() => undefined);
      told = heard ?? told;
      return told;
    },
    lifeMs: (projection) => lifeOf[projection],
    maxEntries: 1,
    clock,
  });
  return (documents) => ({
    ...documents,
    async trustBundle(name) {
      const { namespace } = settings.current().installation;
      const projection = await projections.find(namespace);
      return projection === 'dropped' ? notProjected : documents.trustBundle(name);
    },
  });
}

/** By a template that nobody stores and nothing is started from: it goes through what a pod goes through. */
async function tried(cluster: Cluster, namespace: string): Promise<Projection | undefined> {
  const answer = await cluster.create(podTemplates, probe(namespace), { dryRun: true });
  if (answer.kind !== 'written') return undefined;
  return JSON.stringify(answer.object['template']).includes('clusterTrustBundle')
    ? 'kept'
    : 'dropped';
}

const source = { clusterTrustBundle: { name: 'gatehouse-probe', path: 'probe.pem' } };

function probe(namespace: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { generateName: 'gatehouse-probe-', namespace },
    template: {
      spec: {
        containers: [{ name: 'probe', image: 'probe' }],
        volumes: [{ name: 'probe', projected: { sources: [source] } }],
      },
    },
  };
}
