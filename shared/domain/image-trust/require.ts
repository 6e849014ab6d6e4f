import type { PodImage } from '../pod-images.ts';
import { allow, deny, type Verdict } from '../verdict.ts';
import { headline, notPinned, reasonOf } from './denial.ts';
import type { Finding } from './judgement.ts';
import { digestIn } from './pins.ts';
import { rejectionIn } from './rejection.ts';
import { imagesIn } from './slots.ts';
import { standingOf } from './standing.ts';
import type { TrustPod } from './trust-pod.ts';
import type { Weighed } from './weigh.ts';

export type Requirement = Weighed & { readonly digests: 'pin' | 'leave' };

type Fault = { readonly image: string; readonly why: string };

/** The last word, on the pod as it would be stored. What mutation has left on it is believed only where it refuses. */
export function requireTrusted(
  pod: TrustPod,
  slots: readonly PodImage[],
  requirement: Requirement,
): Verdict {
  const byImage = new Map(requirement.findings.map((finding) => [finding.image, finding]));
  const faults = imagesIn(slots)
    .toSorted()
    .flatMap((image) => {
      const why = faultOf(sound(image, byImage.get(image)), requirement);
      return why === undefined ? [] : [{ image, why }];
    });
  if (faults.length > 0) return refusal(faults);
  const rejection = rejectionIn(pod.metadata.annotations);
  if (rejection !== undefined) return deny(rejection);
  return requirement.digests === 'pin' ? allow() : advised(slots);
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

function faultOf(finding: Finding, { isStrict, digests }: Requirement): string | undefined {
  const { image, judgement } = finding;
  switch (standingOf(judgement)) {
    case 'invalid':
      return reasonOf(finding);
    case 'unavailable':
      return isStrict ? reasonOf(finding) : undefined;
    case 'valid': {
      const isLoose = judgement.kind === 'trusted' && digestIn(image) === undefined;
      // What was verified a moment ago the node would ask for again, and might get something else.
      return isLoose && digests === 'pin' ? `${image}: ${notPinned}` : undefined;
    }
  }
}

function refusal(faults: readonly Fault[]): Verdict {
  return deny(headline(faults.map(({ image }) => image)), ...faults.map(({ why }) => why));
}

/** By tag, a verdict says what was there when it was looked for: for the audit log to count. */
function advised(slots: readonly PodImage[]): Verdict {
  const loose = slots.filter(({ image }) => digestIn(image) === undefined).length;
  return loose === 0 ? allow() : { kind: 'allow', audit: { 'images-by-tag': String(loose) } };
}
