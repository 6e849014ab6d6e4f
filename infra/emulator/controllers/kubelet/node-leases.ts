import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { accountOf, nodeUser } from '../frame/acting-as.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { leases, nodes } from '../shapes/kinds.ts';
import type { Node } from '../shapes/surroundings.ts';
import { labelsBy, nodeObject, nodeStatus } from './node-object.ts';
import { type KubeletOptions, type NodeOptions, nodesOf, quick } from './options.ts';

const leaseNamespace = 'kube-node-lease';
const notReady = 'node.kubernetes.io/not-ready';
/** What `kubectl get nodes` shows. */
const kubeletVersion = 'v1.35.4';

type Own = { readonly node: NodeOptions; readonly index: number };

/** Keeps the kubelet's nodes there and alive. */
export function nodeLeases(options: KubeletOptions): Controller {
  const { heartbeatMs } = { ...quick, ...options.timings };
  const own = new Map(nodesOf(options).map((node, index) => [`/${node.name}`, { node, index }]));
  /** A node that somebody deletes stays away until the kubelet is started anew. */
  const registered = new Set<string>();
  return {
    name: 'node-leases',
    wakes: [
      wake(nodes, ({ metadata }) => (own.has(`/${metadata.name}`) ? [`/${metadata.name}`] : [])),
    ],
    reads: [],
    begin(_, wakeUp) {
      for (const place of own.keys()) wakeUp(place);
    },
    async reconcile(place, all) {
      const mine = own.get(place);
      if (mine === undefined) return done;
      const world = all.as(nodeUser(mine.node.name));
      const isThere = world.shelf(nodes).find(place) !== undefined;
      if (!isThere && registered.has(place)) return done;
      const kept = await keepNode(mine, world);
      if (isThere) registered.add(place);
      if (kept.kind !== 'done') return kept;
      return beat(mine.node, { world, heartbeatMs });
    },
  };
}

async function keepNode({ node, index }: Own, world: World): Promise<Outcome> {
  const known = world.shelf(nodes).find(`/${node.name}`);
  if (known === undefined) {
    const made = await world.api.create(nodes, nodeObject(node));
    // Its own change wakes it again.
    return made.kind === 'written' ? later(0.001) : outcomeOf(made);
  }
  if (known.metadata.deletionTimestamp !== undefined) return done;
  const facts = { index: index + 1, version: kubeletVersion, now: world.now() };
  const status = statusIfNews(known, nodeStatus(known, node, facts));
  const written = await writeStatus(world, { kind: nodes, object: known, status });
  return written.kind === 'done' ? welcome(known, node, world) : written;
}

/** A heartbeat alone is the Lease's to tell: the status would wake everybody who watches nodes. */
function statusIfNews(known: Node, status: ReturnType<typeof nodeStatus>): object {
  const before = new Map(known.status?.conditions?.map((each) => [each.type, each]));
  const isSame = status.conditions.every(
    ({ type, status: next }) => before.get(type)?.status === next,
  );
  if (!isSame) return status;
  const { conditions: _, ...rest } = status;
  return rest;
}

/** The server gives the taint to each new node; it is taken away in the name of the node controller, since no node may. */
async function welcome(before: Node, own: NodeOptions, world: World): Promise<Outcome> {
  const node = world.shelf(nodes).find(`/${before.metadata.name}`) ?? before;
  const taints = node.spec?.taints ?? [];
  if (!taints.some(({ key }) => key === notReady)) return done;
  const left = taints.filter(({ key }) => key !== notReady);
  const labels = labelsBy('others', own.labels);
  const body = { metadata: { labels }, spec: { taints: left.length === 0 ? null : left } };
  const { resourceVersion } = node.metadata;
  const controller = world.as(accountOf('node-controller'));
  return outcomeOf(await controller.api.patch(targetOf(nodes, node), body, resourceVersion));
}

type Beating = { readonly world: World; readonly heartbeatMs: number };

async function beat({ name }: NodeOptions, { world, heartbeatMs }: Beating): Promise<Outcome> {
  const target = { kind: leases, namespace: leaseNamespace, name };
  const known = await world.api.find(target);
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: Math.ceil((heartbeatMs * 4) / 1_000),
    renewTime: world.now().toISOString().replace('Z', '000Z'),
  };
  const metadata = { name, namespace: leaseNamespace };
  const written =
    known === undefined
      ? await world.api.create(leases, { metadata, spec })
      : await world.api.patch(target, { spec }, known.metadata.resourceVersion ?? '');
  const outcome = outcomeOf(written);
  return outcome.kind === 'done' ? later(heartbeatMs / 1_000) : outcome;
}
