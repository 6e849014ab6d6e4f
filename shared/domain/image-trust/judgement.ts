import type { Remark } from './remark.ts';
import type { VerifierKind } from './verifiers.ts';

/** What is known of one image, by whose word. A closed set: a verifier never throws for what others can cause. */
export type Judgement =
  | Trusted
  /** On the list of images that need no signature. */
  | { readonly kind: 'allowed'; readonly entry: string }
  | { readonly kind: 'untrusted'; readonly why: Untrusted; readonly note: string }
  | { readonly kind: 'unavailable'; readonly why: Unavailable; readonly note: string };

export type Trusted = {
  readonly kind: 'trusted';
  /** `sha256:…`, of the list where a list is signed. */
  readonly digest: string;
  /** The images of a signed list: what a node runs of it. */
  readonly children: readonly string[];
  readonly by: Voucher;
  /** When the metadata that proves it expires. */
  readonly until: Date;
  /** Of what stands in: since when nobody was heard who could have proven it anew. */
  readonly unheardSince?: Date;
  readonly remarks: readonly Remark[];
};

export type Voucher = {
  readonly verifier: VerifierKind;
  /** `https://notary.example`; for cosign whose key or identity it is. */
  readonly server: string;
  /** `registry.example/team/app:1.0`: the name that was signed. */
  readonly name: string;
  readonly keys: readonly string[];
};

export type Untrusted =
  /** No name that anything could be signed under. */
  | 'bad-reference'
  /** Nobody has signed anything there, or nothing of this name. */
  | 'not-signed'
  /** Something else was signed under this name. */
  | 'other-digest'
  /** What was sent proves nothing: broken, forged, expired, rolled back, of another root. */
  | 'bad-proof'
  /** Its registry shows it to nobody whose credentials the pod has. */
  | 'registry-refused'
  /** Its Notary shows us nothing of it: many say so of names that they do not know. */
  | 'notary-refused'
  /** It would be trusted on first use, in a namespace that has trusted too many so. */
  | 'too-many-roots'
  /** Its pod names more images than are judged. */
  | 'too-many-images'
  /** The rules of the namespace do not hold together. */
  | 'bad-rules';

export type Unavailable =
  | 'notary'
  | 'registry'
  /** Who may be asked is not settled: an address that is not to be connected to. */
  | 'not-allowed'
  | 'too-slow'
  /** A pull secret of the pod could not be read: nobody knows what its registry would have shown. */
  | 'login'
  /** A first use has to wait until its root can be kept. */
  | 'root-not-kept'
  /** Somebody has taken it back while it was proven, and what he found out cannot be read now. */
  | 'contradicted'
  /** Nobody has verified it yet: whoever asked did not want anybody to be asked, or our own line was too long. */
  | 'not-verified';

export type Finding = {
  /** As it stands in the pod. */
  readonly image: string;
  readonly judgement: Judgement;
};

/** Nobody was heard: what was proven before is as good as it was. */
export function isSilence(judgement: Judgement): boolean {
  return judgement.kind === 'unavailable' && judgement.why !== 'contradicted';
}

/** Who was asked has spoken, and has told nothing of the image: what was proven before is as good as it was. */
export function isRefusal(judgement: Judgement): boolean {
  return isRefusalToAccount(judgement) || whyUntrusted(judgement) === 'notary-refused';
}

/** Others may be shown what this pod is not: it is nobody else's answer, and not kept. */
export function isRefusalToAccount(judgement: Judgement): boolean {
  if (judgement.kind === 'unavailable') return judgement.why === 'login';
  return whyUntrusted(judgement) === 'registry-refused';
}

function whyUntrusted(judgement: Judgement): Untrusted | undefined {
  return judgement.kind === 'untrusted' ? judgement.why : undefined;
}
