import type { PodImage } from '../pod-images.ts';
import { allow, deny, type Verdict } from '../verdict.ts';
import { headline, notPinned, reasonOf } from './denial.ts';
import type { Finding } from './judgement.ts';
import { digestIn } from './pins.ts';
import { rejectionIn } from './rejection.ts';
import { imagesIn } from './slots.ts';
import { standingOf, wasAsked } from './standing.ts';
import type { TrustPod } from './trust-pod.ts';
import type { Weighed } from './weigh.ts';

export type Requirement = Weighed & {
  readonly digests: 'pin' | 'leave';
  /** What becomes of a verified tag that was not pinned: as where nobody answers, which may be open. */
  readonly unpinned: 'deny' | 'allow-with-warning';
};

type Fault = { readonly image: string; readonly why: string };

/** The last word, on the pod as it would be stored. What mutation has left on it is believed only where it refuses. */
export function requireTrusted(
  pod: TrustPod,
  slots: readonly PodImage[],
  requirement: Requirement,
): Verdict {
  const findings = findingsOn(slots, requirement);
  const faults = findings.flatMap((finding) => {
    const why = faultOf(finding, requirement);
    return why === undefined ? [] : [{ image: finding.image, why }];
  });
  if (faults.length > 0) return refusal(faults);
  const rejection = rejectionIn(pod.metadata.annotations);
  if (rejection !== undefined) return deny(rejection);
  if (requirement.digests === 'leave') return advised(slots);
  return allow(...findings.filter(isLoose).map(sayNotPinned));
}

/** Of each image one, sorted. */
function findingsOn(slots: readonly PodImage[], { findings }: Weighed): readonly Finding[] {
  const byImage = new Map(findings.map((finding) => [finding.image, finding]));
  return imagesIn(slots)
    .toSorted()
    .map((image) => sound(image, byImage.get(image)));
}

/** Whatever a verdict says, it is about this digest or about nothing. */
function sound(image: string, finding: Finding | undefined): Finding {
  if (finding === undefined) {
    return { image, judgement: { kind: 'unavailable', why: 'not-verified', note: '' } };
  }
  const { judgement } = finding;
  const digest = digestIn(image);
  if (judgement.kind !== 'trusted' || digest === undefined || digest === judgement.digest) {
    return finding;
  }
  return { image, judgement: { kind: 'untrusted', why: 'other-digest', note: '' } };
}

function faultOf(finding: Finding, requirement: Requirement): string | undefined {
  const { isStrict, digests, unpinned } = requirement;
  switch (standingOf(finding.judgement)) {
    case 'invalid':
      return reasonOf(finding);
    case 'unavailable':
      return isStrict || !wasAsked(finding) ? reasonOf(finding) : undefined;
    case 'valid': {
      const isRefused = isLoose(finding) && digests === 'pin' && unpinned === 'deny';
      return isRefused ? sayNotPinned(finding) : undefined;
    }
  }
}

/** What was verified a moment ago the node would ask for again, and might get something else. */
function isLoose({ image, judgement }: Finding): boolean {
  return judgement.kind === 'trusted' && digestIn(image) === undefined;
}

function sayNotPinned({ image }: Finding): string {
  return `${image}: ${notPinned}`;
}

function refusal(faults: readonly Fault[]): Verdict {
  return deny(headline(faults.map(({ image }) => image)), ...faults.map(({ why }) => why));
}

/** By tag, a verdict says what was there when it was looked for: for the audit log to count. */
function advised(slots: readonly PodImage[]): Verdict {
  const loose = slots.filter(({ image }) => digestIn(image) === undefined).length;
  return loose === 0 ? allow() : { kind: 'allow', audit: { 'images-by-tag': String(loose) } };
}
