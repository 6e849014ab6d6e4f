import type { PodImage } from '../pod-images.ts';
import { allow, type Verdict } from '../verdict.ts';
import { imagesIn, slotsToVerify } from './slots.ts';
import type { UserInfo } from './status-writer.ts';
import type { TrustPod } from './trust-pod.ts';

type Asked = {
  readonly object: TrustPod;
  readonly old: TrustPod | undefined;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly subresource: string | undefined;
  readonly user: UserInfo;
};

/** What is asked, as far as images go. */
export type TrustRequest = {
  readonly kind: 'create' | 'update' | 'ephemeral';
  readonly pod: TrustPod;
  readonly old: TrustPod | undefined;
  /** What this very request brings; the rest runs already. */
  readonly slots: readonly PodImage[];
};

/** `undefined`: nothing is judged (`unjudged` answers), since nothing is about to run. */
export function trustRequestOf(asked: Asked): TrustRequest | undefined {
  const { object: pod, old, operation, subresource, user } = asked;
  const kind = kindOf(operation, subresource);
  if (kind === undefined || isMirror(pod, user)) return undefined;
  // By the old one: what a request says of its own deletion the API server does not heed. Nothing starts in it any more.
  if (kind !== 'create' && old?.metadata.deletionTimestamp !== undefined) return undefined;
  return { kind, pod, old, slots: slotsToVerify(pod, kind === 'create' ? undefined : old) };
}

/** What a kubelet runs from a file nobody can refuse: the audit log tells of it. */
export function unjudged({ object, user }: Asked): Verdict {
  if (!isMirror(object, user)) return allow();
  const images = imagesIn(slotsToVerify(object, undefined)).toSorted().join(', ');
  return { kind: 'allow', audit: { 'mirror-pod-images': images } };
}

function kindOf(operation: Asked['operation'], subresource: string | undefined) {
  if (operation === 'CREATE' && subresource === undefined) return 'create';
  if (operation !== 'UPDATE') return undefined;
  if (subresource === undefined || subresource === 'resize') return 'update';
  return subresource === 'ephemeralcontainers' ? 'ephemeral' : undefined;
}

/** What a kubelet tells of a pod that it runs from a file: no answer stops it, and it must stay as it is. */
function isMirror({ metadata }: TrustPod, { groups }: UserInfo): boolean {
  return (
    groups.includes('system:nodes') &&
    Object.hasOwn(metadata.annotations, 'kubernetes.io/config.mirror')
  );
}
