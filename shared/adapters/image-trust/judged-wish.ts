import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { judgementOfRead } from '#shared/domain/image-trust/judging-registry.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { Registry } from '#shared/domain/registry/registry.ts';
import { readConfiguration } from './configuration.ts';
import { type Wish, wishName } from './subject.ts';

export type JudgedWish = Pick<Verdict, 'judgement' | 'also'>;

export type WishTools = {
  /** By its own digest and by these others. */
  judge(also: Verdict['also']): Judgement;
  /** Of which it was found out already that they are the image's too. */
  readonly proven: Verdict['also'];
  readonly registry: Registry;
  readonly signal: AbortSignal;
};

/** Its configuration is read where it alone decides, and what was found out is kept with the verdict. */
export async function judgedWish(wish: Wish, tools: WishTools): Promise<JudgedWish> {
  const { configuration, logins } = wish;
  const { judge, proven, registry, signal } = tools;
  // What is found out of a digest stays true while nobody can look at it.
  const also = wish.isWhole ? proven.filter((digest) => digest === configuration) : proven;
  const judgement = judge(also);
  const plain = { judgement, also };
  if (judgement.kind !== 'untrusted' || configuration === undefined) return plain;
  if (also.length > 0) return plain;

  const told = { judgement: judge([configuration]), also: [configuration] };
  if (told.judgement.kind !== 'trusted') return plain;
  const found = await readConfiguration(registry, wish, { logins, reach: 'internal', signal });
  switch (found.kind) {
    case 'its-own':
      return told;
    case 'something-else':
      return plain;
    default: {
      // Whatever is sent in its place says nothing of it: a page for people as little as nothing.
      const failed = judgementOfRead(found, wishName(wish));
      return { judgement: failed.kind === 'unavailable' ? failed : withheld(wish), also };
    }
  }
}

/** Others may be shown it, by the same digest. */
function withheld(wish: Wish): Judgement {
  const note = `no credentials of the pod's open the configuration of ${wishName(wish)}`;
  return { kind: 'untrusted', why: 'registry-refused', note };
}
