import { type Tried, untrusted } from '#shared/domain/image-trust/cosign/conclusion.ts';
import type { Judgement, Unavailable } from '#shared/domain/image-trust/judgement.ts';
import { deniedNote, isDenied, isSpoken } from '#shared/domain/image-trust/judging-registry.ts';
import { meaningOf } from '#shared/domain/registry/refusal.ts';
import type { ManifestName, ReadFailure } from '#shared/domain/registry/registry.ts';

/** What it means for the image that its own manifest could not be read. */
export function judgementOf(failure: ReadFailure, asked: Pick<ManifestName, 'digest'>): Judgement {
  if (asked.digest !== undefined && isSpoken(failure)) {
    return untrusted('registry-refused', isDenied(failure) ? deniedBy(failure) : withheld);
  }
  if (failure.kind === 'not-found') return untrusted('not-signed', 'there is no such image');
  if (isDenied(failure)) return untrusted('registry-refused', deniedBy(failure));
  const why = outageOf(failure);
  return why === undefined
    ? untrusted('bad-proof', 'what its registry sends is no image')
    : { kind: 'unavailable', why, note: notes[why] };
}

/** What it means that a proof could not be read: nothing, or that it may be there, or that others may be shown it. */
export function triedOf(failure: ReadFailure): Tried {
  if (isDenied(failure)) return { kind: 'refused', note: deniedBy(failure) };
  const why = outageOf(failure);
  return why === undefined
    ? { kind: 'flaw', why: 'malformed', note: 'a signature that is listed cannot be read' }
    : { kind: 'outage', why, note: notes[why] };
}

function deniedBy(failure: ReadFailure): string {
  return deniedNote(failure, 'what proves it');
}

const withheld = "with the pod's credentials its registry shows no such image";

type Why = Extract<Unavailable, 'registry' | 'not-allowed' | 'too-slow' | 'login'>;

const notes: Readonly<Record<Why, string>> = {
  registry: 'its registry cannot be read',
  'not-allowed': 'its registry is at an address that is not connected to',
  'too-slow': 'its registry is too slow',
  login: 'a pull secret that may open it could not be read',
};

function outageOf(failure: ReadFailure): Why | undefined {
  // Whoever spoke said something that proves nothing; or nobody was asked.
  if (failure.kind !== 'unavailable') {
    return meaningOf(failure) === 'not-asked' ? 'not-allowed' : undefined;
  }
  if (failure.why === 'login-unread') return 'login';
  return failure.why === 'too-slow' || failure.why === 'given-up' ? 'too-slow' : 'registry';
}
