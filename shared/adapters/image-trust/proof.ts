import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Anchor, FirstUse } from '#shared/domain/image-trust/tuf/trust.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { Asked } from '#shared/domain/image-trust/verdict-store.ts';
import type { VerifierKind, Verifiers } from '#shared/domain/image-trust/verifiers.ts';
import type { Askable } from './parts.ts';
import type { Subject, Wish } from './subject.ts';

/** All that one reading proves. */
export type Proof = {
  /** `undefined` for what this reading does not know: it has to be asked again. */
  judge(asked: Asked & Pick<Verdict, 'also'>): Judgement | undefined;
  /** To be kept before anybody is told, where it is new. */
  readonly anchor: Anchor | undefined;
  readonly isFirstUse: boolean;
};

export type Proving = {
  readonly askable: Askable;
  readonly subject: Subject;
  readonly anchor: Anchor | undefined;
  readonly firstUse: FirstUse;
  readonly now: Date;
  readonly signal: AbortSignal;
};

/** How a verifier proves; it throws for nothing that a server or an attacker can cause. */
export type Prover<V> = {
  /** One reading is about a whole repository, so that who comes late is judged by it too; or about the images named. */
  readonly reads: 'repository' | 'images';
  prove(verifier: V, proving: Proving, wishes: readonly [Wish, ...Wish[]]): Promise<Proof>;
};

export type Provers = { readonly [K in VerifierKind]: Prover<Verifiers[K]> };

/** The one that is asked about the subject. */
export function proverOf({ askable, subject: { verifier } }: Pick<Proving, 'askable' | 'subject'>) {
  return proverFor(askable.provers, verifier.kind);
}

function proverFor<K extends VerifierKind>(provers: Provers, kind: K): Prover<Verifiers[K]> {
  return provers[kind];
}
