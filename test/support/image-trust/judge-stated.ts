import { type ImageName, parseImage } from '#shared/domain/image.ts';
import type { Finding, Judgement, Trusted } from '#shared/domain/image-trust/judgement.ts';
import type { ImageJudge, ImagesAsked } from '#shared/ports.ts';

export const digestOf = (letters: string) => `sha256:${letters.repeat(32)}`;
export const [good, evil, child] = [digestOf('0a'), digestOf('ee'), digestOf('0c')] as const;

export type JudgeStated = ImageJudge & {
  /** From now on this is what is signed under the name; `undefined` takes it back. */
  sign(name: string, digest: string | undefined): void;
  /** Nobody answers for these, until they come back. */
  away: Set<string>;
  readonly allowed: string[];
  readonly judged: { readonly images: readonly string[]; readonly asked: ImagesAsked }[];
};

/** What is signed is stated; what was judged is recalled, and nothing else. Names are `registry/repository:tag`. */
export function judgeStated(signed: Readonly<Record<string, string>> = {}): JudgeStated {
  const names = new Map(Object.entries(signed));
  const known = new Set<string>();
  const stated: JudgeStated = {
    away: new Set(),
    allowed: [],
    judged: [],
    sign(name, digest) {
      if (digest === undefined) names.delete(name);
      else names.set(name, digest);
    },
    async judge(images, asked) {
      stated.judged.push({ images, asked });
      const findings = images.map(find);
      for (const { image, judgement } of findings) {
        known.add(image);
        if (judgement.kind === 'trusted') known.add(`${tagged(image)}@${judgement.digest}`);
      }
      return findings;
    },
    async recall(images) {
      return images.map((image): Finding => {
        const isKnown = known.has(image) || known.has(`${tagged(image)}@${digestIn(image)}`);
        if (isKnown || stated.allowed.includes(image)) return find(image);
        return { image, judgement: { kind: 'unavailable', why: 'not-verified', note: '' } };
      });
    },
  };
  return stated;

  function find(image: string): Finding {
    return { image, judgement: judgementOf(image) };
  }

  function judgementOf(image: string): Judgement {
    const entry = stated.allowed.find((each) => each === image);
    if (entry !== undefined) return { kind: 'allowed', entry };
    const name = tagged(image);
    if (stated.away.has(name)) return { kind: 'unavailable', why: 'notary', note: '' };
    const digest = names.get(name);
    if (digest === undefined) return { kind: 'untrusted', why: 'not-signed', note: '' };
    const own = digestIn(image);
    if (own !== '' && own !== digest) return { kind: 'untrusted', why: 'other-digest', note: '' };
    return trusted(name, digest);
  }
}

export function trusted(name: string, digest: string, more: Partial<Trusted> = {}): Trusted {
  return {
    kind: 'trusted',
    digest,
    children: [],
    by: { verifier: 'notary', server: 'https://notary.example', name, keys: ['abc'] },
    until: new Date('2031-01-01T00:00:00Z'),
    remarks: [],
    ...more,
  };
}

function tagged(image: string): string {
  const parsed = parsedOf(image);
  return parsed === undefined ? image : image.replace(/@.*$/, '').concat(tagOf(parsed));
}

/** What is missing in the text. */
function tagOf({ tag }: ImageName): string {
  return tag === undefined ? ':latest' : '';
}

function digestIn(image: string): string {
  return parsedOf(image)?.digest ?? '';
}

function parsedOf(image: string): ImageName | undefined {
  const parsed = parseImage(image);
  return parsed.ok ? parsed.image : undefined;
}
