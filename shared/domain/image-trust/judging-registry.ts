import type { ReadFailure } from '../registry/registry.ts';
import type { Judgement } from './judgement.ts';

type Failed = Extract<Judgement, { kind: 'untrusted' | 'unavailable' }>;

/** What it means for an image that its registry did not hand out its manifest. */
export function judgementOfRead(failure: ReadFailure, name: string): Failed {
  if (failure.kind === 'not-found') {
    return { kind: 'untrusted', why: 'not-signed', note: `${name} does not exist` };
  }
  const unavailable = (
    why: 'registry' | 'too-slow' | 'not-allowed' | 'login',
    note: string,
  ): Failed => ({
    kind: 'unavailable',
    why,
    note,
  });
  switch (failure.why) {
    case 'too-slow':
    case 'given-up':
      return unavailable('too-slow', `the registry of ${name} does not answer in time`);
    case 'login-unread':
      return unavailable('login', `a pull secret that may open ${name} could not be read`);
    case 'bad-url':
    case 'plain-http':
    case 'address':
    case 'redirect':
      return unavailable('not-allowed', `the registry of ${name} is not one that may be asked`);
    // It has answered, so that it is not away: else whoever takes the credentials off a pod has it admitted unseen.
    case 'denied':
    case 'challenge':
    case 'token-server': {
      const note = `no credentials of the pod's open ${name}`;
      return { kind: 'untrusted', why: 'registry-refused', note };
    }
    default:
      return failure.kind === 'unavailable'
        ? unavailable('registry', `the registry of ${name} cannot be reached`)
        : { kind: 'untrusted', why: 'bad-proof', note: `what is sent for ${name} is no image` };
  }
}

/**
 * Its registry has spoken, though it did not show what was asked for by digest, and that is about whoever asks, whatever
 * the status: others may be shown it, and a digest that is signed is signed all the same.
 */
export function isSpoken(failure: ReadFailure): boolean {
  if (failure.kind === 'not-found' || isDenied(failure)) return true;
  return failure.kind === 'refused' && failure.why === 'status';
}

/** Not with the credentials that we have. */
export function isDenied(failure: ReadFailure): boolean {
  return (
    failure.kind === 'refused' && ['denied', 'challenge', 'token-server'].includes(failure.why)
  );
}
