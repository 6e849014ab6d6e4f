import { meaningOf } from '../registry/refusal.ts';
import type { ReadFailure, ReadUnavailable } from '../registry/registry.ts';
import type { Judgement } from './judgement.ts';

type Failed = Extract<Judgement, { kind: 'untrusted' | 'unavailable' }>;

/** What it means for an image that its registry did not hand out its manifest. */
export function judgementOfRead(failure: ReadFailure, name: string): Failed {
  if (failure.kind === 'unavailable') return outageOf(failure, name);
  switch (meaningOf(failure)) {
    case 'missing':
      return { kind: 'untrusted', why: 'not-signed', note: `${name} does not exist` };
    case 'not-asked': {
      const note = `the registry of ${name} is not one that may be asked`;
      return { kind: 'unavailable', why: 'not-allowed', note };
    }
    // It has answered, so that it is not away: else whoever takes the credentials off a pod has it admitted unseen.
    case 'denied': {
      const note = deniedNote(failure, name);
      return { kind: 'untrusted', why: 'registry-refused', note };
    }
    default:
      return { kind: 'untrusted', why: 'bad-proof', note: `what is sent for ${name} is no image` };
  }
}

/** For the cluster's user. */
export function deniedNote(failure: ReadFailure, what: string): string {
  const isCut = failure.kind === 'refused' && failure.why === 'login-left-out';
  const more = isCut ? `: ${failure.about}` : '';
  return `no credentials of the pod's open ${what}${more}`;
}

function outageOf({ why }: ReadUnavailable, name: string): Failed {
  switch (why) {
    case 'too-slow':
    case 'given-up': {
      const note = `the registry of ${name} does not answer in time`;
      return { kind: 'unavailable', why: 'too-slow', note };
    }
    case 'login-unread': {
      const note = `a pull secret that may open ${name} could not be read`;
      return { kind: 'unavailable', why: 'login', note };
    }
    default: {
      const note = `the registry of ${name} cannot be reached`;
      return { kind: 'unavailable', why: 'registry', note };
    }
  }
}

/**
 * Its registry has spoken, though it did not show what was asked for by digest, and that is about whoever asks, whatever
 * the status, or by which page: others may be shown it, and a digest that is signed is signed all the same.
 */
export function isSpoken(failure: ReadFailure): boolean {
  return ['missing', 'denied', 'withheld', 'a-page'].includes(meaningOf(failure));
}

/** Not with the credentials that we have. */
export function isDenied(failure: ReadFailure): boolean {
  return meaningOf(failure) === 'denied';
}
