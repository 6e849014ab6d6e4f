import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import { anyDigest } from '#shared/domain/image-trust/verdict-store.ts';
import { joining } from '../joining.ts';
import type { Verification } from './hangar.ts';
import type { JudgeParts } from './parts.ts';
import type { Wish } from './subject.ts';
import { turnstile } from './turnstile.ts';
import { neverAsked } from './unasked.ts';

type Asked = { readonly verification: Verification; readonly wish: Wish };

/** Whether anything is signed under a name, where its registry is not heard. */
export type Naming = {
  /** A few of a namespace at a time; any other question at once. */
  inTurn(asked: Asked, ask: () => Promise<Verdict>): Promise<Verdict>;
  hasWaited(asked: Asked): boolean;
};

/** Names that no registry answers for fail at once, thousands in a moment: each is a question to a Notary, a claim and a row. */
const mostNamed = 16;

export function openNaming({ clock, boundMs }: Pick<JudgeParts, 'clock' | 'boundMs'>): Naming {
  const turns = turnstile(mostNamed);
  const asking = joining<Verdict>();
  const inLine = async (asked: Asked, ask: () => Promise<Verdict>) => {
    const turn = { line: asked.wish.account.namespace, whose: keyOf(asked) };
    const told = await turns.pass(turn, boundMs, ask);
    return told ?? neverAsked(asked.wish, clock.now(), crowdedNames);
  };
  return {
    inTurn(asked, ask) {
      if (asked.wish.digest !== anyDigest) return ask();
      return asking.ask(keyOf(asked), () => inLine(asked, ask));
    },
    hasWaited: (asked) => turns.hasWaited(keyOf(asked)),
  };
}

/** Of an account: what one was not shown is no answer to another. */
function keyOf({ verification: { subject, isDryRun }, wish: { account, tag, digest } }: Asked) {
  return JSON.stringify([account.key, subject.collection.key, isDryRun, tag, digest]);
}

export const crowdedNames: Judgement = {
  kind: 'unavailable',
  why: 'not-verified',
  note: 'too many images of its namespace whose registries are not heard are asked about at once',
};
