import { podImages } from '../pod-images.ts';
import { type Change, patch, type Remarks, type Verdict } from '../verdict.ts';
import { reasonOf } from './denial.ts';
import type { Finding } from './judgement.ts';
import { type Status, statusLabel } from './label-keys.ts';
import { type Marks, markChanges } from './marks.ts';
import { pins } from './pins.ts';
import { type Remark, remarkText } from './remark.ts';
import type { TrustRequest } from './request.ts';
import { badAmong, type Standing, standingOfAll, wasAsked } from './standing.ts';
import { markOf } from './trust-pod.ts';
import type { Weighed } from './weigh.ts';

export type Weighing = Weighed & { readonly digests: 'pin' | 'leave' };

/** What a mutation makes of the findings: digests and marks. It refuses nothing, since the last word has who sees the final pod. */
export function verified(request: TrustRequest, weighing: Weighing): Verdict {
  const { findings, digests } = weighing;
  const byImage = new Map(findings.map((finding) => [finding.image, finding]));
  const pinning = digests === 'pin' ? pins(request.slots, byImage) : [];
  const changes = [...pinning, ...marking(request, weighing)];
  return { ...patch(changes, ...remarksOn(weighing)), ...auditOf(weighing) };
}

/** For the audit log and the metrics: what was wrong, and what has to go before a switch is turned. */
function auditOf({ findings }: Weighing): Remarks {
  const told = Map.groupBy(findings.flatMap(auditKey), (key) => key);
  if (told.size === 0) return {};
  const counted = [...told].map(([key, { length }]) => [key, String(length)] as const);
  return { audit: Object.fromEntries(counted) };
}

function auditKey({ judgement }: Finding): readonly string[] {
  switch (judgement.kind) {
    case 'allowed':
      return [];
    case 'trusted':
      return judgement.remarks.flatMap((remark) => auditKeys[remark] ?? []);
    case 'untrusted':
    case 'unavailable':
      return [`images-${judgement.kind}.${judgement.why}`];
  }
}

const auditKeys: Readonly<Partial<Record<Remark, string>>> = {
  'config-digest': 'images-by-config-digest',
  expiring: 'images-expiring',
};

/** Labels and annotations are no part of a request for ephemeral containers: they follow. */
function marking(request: TrustRequest, { findings, isStrict }: Weighing): readonly Change[] {
  if (request.kind === 'ephemeral') return [];
  const standing = standingOfAll(findings);
  const isRejected = standing === 'invalid' || (standing === 'unavailable' && isStrict);
  const bad = badAmong(findings).map(({ image }) => image);
  const marks: Marks = {
    status: statusAfter(request, standing),
    isRejected,
    invalid: isRejected ? bad : [],
  };
  return markChanges(request.pod, marks);
}

/** Of an update only what it brings was judged: the rest is as good as it was before. */
function statusAfter({ kind, pod, old, slots }: TrustRequest, standing: Standing): Status {
  switch (standing) {
    case 'invalid':
      return 'failed';
    case 'unavailable':
      return 'pending';
    case 'valid': {
      const isAll = kind === 'create' || slots.length === podImages({ spec: pod.spec }).length;
      const wasGood = markOf(old?.metadata.labels ?? {}, statusLabel) === 'success';
      return isAll || wasGood ? 'success' : 'pending';
    }
  }
}

/** For whoever makes the pod: it runs, but. */
function remarksOn({ findings, isStrict }: Weighing): readonly string[] {
  return findings.flatMap((finding) => {
    const { image, judgement } = finding;
    if (judgement.kind === 'trusted') {
      return judgement.remarks.map((each) => `${image}: ${remarkText(each, judgement.by)}`);
    }
    if (judgement.kind !== 'unavailable' || isStrict) return [];
    return [`${reasonOf(finding)}; ${wasAsked(finding) ? waits : isLast}`];
  });
}

const waits = 'it is pending, and will be looked at again';
/** No outage of anybody, so that the last word has nothing to let it through by. */
const isLast = 'it is refused unless it can be verified before the pod is stored';
