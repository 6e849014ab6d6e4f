import type { Judgement, Unavailable, Untrusted } from '../judgement.ts';
import type { ClaimFlaw } from './claim.ts';
import type { Authority } from './settings.ts';

/** What came of one signature with one authority. */
export type Tried =
  | { readonly kind: 'vouched'; readonly authority: Authority; readonly keys: readonly string[] }
  | { readonly kind: 'flaw'; readonly why: ProofFlaw | ClaimFlaw; readonly note: string }
  /** A part of the proof could not be read. */
  | { readonly kind: 'outage'; readonly why: Unavailable; readonly note: string }
  /** The registry does not show it to whoever asks. */
  | { readonly kind: 'refused'; readonly note: string }
  /** The settings do not hold together: nothing can be proven by them. */
  | { readonly kind: 'no-root'; readonly note: string };

export type ProofFlaw = 'malformed' | 'signature' | 'certificate' | 'log' | 'identity' | 'too-many';

export type NoProof = Extract<Judgement, { readonly kind: 'untrusted' | 'unavailable' }>;

/** When nobody vouched. What could not be read might have: that comes before what was refused. */
export function withoutProof(tried: readonly Tried[]): NoProof {
  const outage = tried.find((each) => each.kind === 'outage');
  if (outage !== undefined) return { ...outage, kind: 'unavailable' };
  const rootless = tried.find((each) => each.kind === 'no-root');
  if (rootless !== undefined) return untrusted('bad-rules', rootless.note);
  const refused = tried.find((each) => each.kind === 'refused');
  if (refused !== undefined) return untrusted('registry-refused', refused.note);
  const flaws = tried.flatMap((each) => (each.kind === 'flaw' ? [each] : []));
  if (flaws.length === 0) return untrusted('not-signed', 'nobody has signed it with cosign');
  const onlyOthers = flaws.every(({ why }) => why === 'other-digest');
  const notes = [...new Set(flaws.map(({ note }) => note))].slice(0, mostNotes).join('; ');
  return untrusted(onlyOthers ? 'other-digest' : 'bad-proof', notes);
}

const mostNotes = 3;

export function untrusted(why: Untrusted, note: string): NoProof {
  return { kind: 'untrusted', why, note };
}

export function flawed(why: ProofFlaw | ClaimFlaw, authority: Pick<Authority, 'name'>): Tried {
  return { kind: 'flaw', why, note: `${authority.name}: ${notes[why]}` };
}

/** For the cluster's user. */
const notes: Readonly<Record<ProofFlaw | ClaimFlaw, string>> = {
  malformed: 'what is kept as a signature is none',
  signature: 'it is signed by none of its keys',
  certificate:
    'its certificate was not valid when it was signed, or comes from nobody who is trusted',
  log: 'the log has not taken the signature',
  identity: 'it is signed by somebody else',
  'too-many': 'there are more signatures than are read',
  'other-digest': 'another digest was signed',
  'other-name': 'it was signed under another name',
  'no-name': 'the signature names no image',
  annotations: 'the signature lacks what has to stand in it',
};
