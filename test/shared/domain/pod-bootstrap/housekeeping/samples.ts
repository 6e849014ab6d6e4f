import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import type { Campaign, KeptCampaign } from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import { type HousedPod, housedPod } from '#shared/domain/pod-bootstrap/housekeeping/housed-pod.ts';
import type { Wanted } from '#shared/domain/pod-bootstrap/housekeeping/judge-pod.ts';
import { policyOf } from '#shared/domain/pod-bootstrap/housekeeping/look-at-pods.ts';
import type { Seen } from '#shared/domain/pod-bootstrap/housekeeping/plan-owner.ts';
import { documentOf } from '../bootstrapping.ts';

export const now = new Date('2030-01-01T12:00:00Z');
const settings = settingsFixed().current();
export const policy = policyOf(settings.podBootstrap.restart, settings.installation, now);

const controller = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'web',
  uid: 'rs',
  controller: true,
};

/** An old, running pod of a ReplicaSet, and what differs. */
export function stored({
  metadata = {},
  spec = {},
  status = {},
}: {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
} = {}): KubeObject {
  return JSON.parse(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...{
          uid: 'pod-1',
          name: 'web-1',
          namespace: 'team-a',
          labels: { 'pod-template-hash': 'abc' },
        },
        ...{ creationTimestamp: '2030-01-01T11:00:00Z', ownerReferences: [controller] },
        ...metadata,
      },
      spec: { containers: [{ name: 'web', image: 'replace.me/web:1' }], ...spec },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
    }),
  );
}

export function housed(...given: Parameters<typeof stored>): HousedPod {
  const pod = housedPod(stored(...given));
  if (pod === undefined) throw new Error('the sample cannot be read');
  return pod;
}

export function wantedBy(document: JsonObject, more: Partial<Wanted> = {}): Wanted {
  return {
    configuration: configurationOf(documentOf(document), settings.podBootstrap),
    namespace: { name: 'team-a', annotations: {} },
    trustBundle: { kind: 'present', hash: 'hash-2' },
    ...more,
  };
}

/** As a plan sees it: missed, unless it is said otherwise. */
export function seen(
  uid: string,
  more: Partial<Seen> & {
    readonly isReady?: boolean;
    readonly isTerminating?: boolean;
    readonly template?: string;
    readonly phase?: string;
  } = {},
): Seen {
  const { isReady = true, isTerminating = false, template = 'abc', phase, ...said } = more;
  const read = housed({ metadata: { uid, name: uid }, status: phase ? { phase } : {} });
  const pod = { ...read, isReady, isTerminating, template };
  return {
    pod,
    reason: 'missed',
    excuse: undefined,
    isEvident: true,
    youngForMs: 0,
    unsureForMs: 0,
    ...said,
  };
}

export const good = (uid: string, isReady = true) => seen(uid, { reason: undefined, isReady });

export const breakerPauseMs = 1_800_000;

export const hashes = { configurationHash: 'c1', bundleHash: 'b1' };

export function campaign(changed: Partial<KeptCampaign> = {}): KeptCampaign {
  const stated: Campaign = {
    ...{ owner: 'rs', template: 'abc', ...hashes, reason: 'missed', namespace: 'team-a' },
    ...{ state: 'open', known: ['p1', 'p2'], intent: { uid: 'p1', name: 'p1' }, count: 1 },
    ...{ by: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' }, tries: 1 },
  };
  return { ...stated, revision: 3, turnInMs: undefined, sinceMs: 0, ...changed };
}
