import type { Outage } from '#shared/domain/image-trust/tuf/finding.ts';
import type { OutsideRefused, OutsideUnavailable } from '#shared/domain/outside.ts';

/** Whatever kept us from an answer says nothing about the images. */
export function outageOf(answer: OutsideRefused | OutsideUnavailable): Outage {
  switch (answer.why) {
    case 'too-slow':
    case 'given-up':
      return 'timeout';
    case 'bad-url':
    case 'plain-http':
    case 'address':
    case 'redirect':
      return 'not-allowed';
    default:
      return 'unreachable';
  }
}
