import { webhookConfigurations } from '../../installation.ts';
import { leases, mutatingWebhooks, pods, secrets, serviceAccounts } from '../../kind.ts';
import { countingOwners } from './desired-pods.ts';

/** What is read and written for a restart, beside what the mirror has. */
export const uses = [
  ...(['clock', 'settings', 'bootstrapDocument', 'namespaces', 'mirror', 'cluster'] as const),
  ...(['restarts', 'events', 'conditions', 'measures'] as const),
] as const;

const pullSecret = { setting: 'podBootstrap.pullSecret.name', fallback: 'registry-credentials' };

export const access = [
  { kind: pods, verbs: ['list'] },
  { kind: pods, subresource: 'eviction', verbs: ['create'] },
  // As a list of one, by its name: whether it is there, without a byte of it.
  { kind: secrets, names: [pullSecret], verbs: ['list'] },
  // Whether the API server would let a pod of it have that secret.
  { kind: serviceAccounts, verbs: ['get'] },
  { kind: mutatingWebhooks, names: webhookConfigurations.mutating, verbs: ['get'] },
  { kind: leases, namespace: 'installation', verbs: ['list'] },
  ...countingOwners.map((kind) => ({ kind, verbs: ['get'] }) as const),
] as const;
