import { labels, replicaLease, webhookConfigurations, webhookNames } from '../../installation.ts';
import { isJsonObject, isList, type JsonObject } from '../../json.ts';
import { type Kind, leases, mutatingWebhooks } from '../../kind.ts';
import type { KubeObject } from '../../kube-object.ts';
import { entriesOf } from '../../webhook-switch.ts';
import type { Policy } from './excuse.ts';

/** The entries that ask for pods to be bootstrapped: the fused one, the function's own, upstream's. */
const entries: readonly string[] = [
  webhookNames.fusedPods,
  webhookNames.alone('mutate', 'bootstrap-pod'),
  'mpod-v1.kb.io',
];

/** Sooner than a rotation: who is made while nobody answers is missed. Renewals may be late, so not the first one. */
const servesForSeconds = 3 * replicaLease.renewEverySeconds;

type Reader = {
  find(target: { readonly kind: Kind; readonly name: string }): Promise<KubeObject | undefined>;
  list(kind: Kind, options: { readonly namespace: string }): AsyncIterable<KubeObject>;
};

/** As the cluster has it now. */
export async function whyUnhealthyIn(
  cluster: Reader,
  { installation, now }: Pick<Policy, 'installation' | 'now'>,
): Promise<string | undefined> {
  const { namespace } = installation;
  const found = await Promise.all(
    webhookConfigurations.mutating.map((name) => cluster.find({ kind: mutatingWebhooks, name })),
  );
  return whyUnhealthy(found, cluster.list(leases, { namespace }), now);
}

/** Why a pod that is made now might be missed again; `undefined` where nothing speaks for that. */
export async function whyUnhealthy(
  configurations: readonly (KubeObject | undefined)[],
  leases: AsyncIterable<KubeObject>,
  now: Date,
): Promise<string | undefined> {
  const ours = configurations.filter((each) => each !== undefined).filter(hasEntry);
  if (ours.length === 0) return 'no webhook is registered that bootstraps pods';
  if (!ours.some(isCalled)) return 'the webhook is switched off, or trusts nobody yet';
  for await (const lease of leases) if (isServing(lease, now)) return undefined;
  // No Lease tells of a function there, and a pod that is only tried would be a right to make pods.
  return ours.some(isElsewhere)
    ? 'no replica serves admission in the cluster, and of a webhook at a URL, as on Lambda, nobody knows whether it answers'
    : 'no replica serves admission';
}

function hasEntry(configuration: KubeObject): boolean {
  return entriesOf(configuration).some(({ name }) => entries.includes(name));
}

function isCalled(configuration: KubeObject): boolean {
  return clientsOf(configuration).some(isTrusted);
}

function isElsewhere(configuration: KubeObject): boolean {
  return clientsOf(configuration).some((client) => typeof client['url'] === 'string');
}

/** Of the entries that are not switched off. */
function clientsOf(configuration: KubeObject): readonly JsonObject[] {
  const off = new Set(entriesOf(configuration).flatMap((each) => (each.isOff ? each.name : [])));
  const webhooks = configuration['webhooks'];
  return (isList(webhooks) ? webhooks : [])
    .filter(isJsonObject)
    .filter(({ name }) => typeof name === 'string' && entries.includes(name) && !off.has(name))
    .map(({ clientConfig }) => clientConfig)
    .filter(isJsonObject);
}

/** Without a bundle the API server believes only what public authorities vouch for: a URL's server may be such a one. */
function isTrusted({ caBundle, url }: JsonObject): boolean {
  return (typeof caBundle === 'string' && caBundle !== '') || typeof url === 'string';
}

const admissionRoles = ['admission', 'all'];

function isServing({ metadata, ...lease }: KubeObject, now: Date): boolean {
  const spec = lease['spec'];
  if (!isJsonObject(spec)) return false;
  const { renewTime, leaseDurationSeconds } = spec;
  if (typeof renewTime !== 'string' || typeof leaseDurationSeconds !== 'number') return false;
  const isAdmission = admissionRoles.includes(metadata.labels?.[labels.replica] ?? '');
  const seconds = Math.min(leaseDurationSeconds, servesForSeconds);
  return isAdmission && now.getTime() - Date.parse(renewTime) <= seconds * 1_000;
}
