import fc from 'fast-check';
import { expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { subjectOf, verdictKey } from '#shared/adapters/image-trust/subject.ts';
import { nameToAsk } from '#shared/domain/image-trust/name-to-ask.ts';
import { tagOf } from '#shared/domain/image-trust/signed-name.ts';
import type { Verifier } from '#shared/domain/image-trust/verifiers.ts';
import { rules } from '#test/support/image-trust/judging.ts';

const digest = `sha256:${'0a'.repeat(32)}`;
const askable = {
  settings: settingsFixed().current().imageTrust,
  files: { textOf: () => undefined, hashOf: () => '' },
};
const cosign: Verifier = { kind: 'cosign', authorities: [] };

/** By what a verdict is kept, and all that its verifier is told of the image's name. */
function asked(image: string, origin: string | undefined, verifier: Verifier) {
  const originOf = () =>
    origin === undefined
      ? ({ kind: 'itself' } as const)
      : ({ kind: 'mapped', image: origin } as const);
  const named = nameToAsk(image, originOf, { allowed: [] });
  if (named.kind !== 'ask') throw new Error(JSON.stringify(named.judgement));
  const { signed, pulled } = named;
  const subject = subjectOf(verifier, { signed, pulled, owner: 'platform', askable });
  const place = ({ registry, repository }: typeof signed) => `${registry}/${repository}`;
  // A Notary is asked by the name alone, and nothing of it is looked for where the image is pulled from.
  const from = verifier.kind === 'notary' ? '' : place(pulled);
  const told = JSON.stringify([subject.gun, place(signed), from]);
  return { key: verdictKey(subject, { tag: tagOf(signed), digest }), told };
}

it.each<[string, Verifier]>([
  ['a Notary', rules.verifiers[0]],
  ['cosign', cosign],
])('verdicts of one key are of one question to %s, however its image is written', (_, verifier) => {
  const cased = (text: string) =>
    fc
      .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
      .map((upper) => [...text].map((at, i) => (upper[i] ? at.toUpperCase() : at)).join(''));
  const host = fc.constantFrom('a.io', 'b.io:443', 'docker.io').chain(cased);
  const name = fc.tuple(host, fc.constantFrom('x', 'y/z')).map((parts) => parts.join('/'));
  const known = new Map<string, string>();
  const words = new Set<string>();
  fc.assert(
    fc.property(name, fc.option(name, { nil: undefined }), (pulled, signed) => {
      const origin = signed && `${signed}@${digest}`;
      const { key, told } = asked(`${pulled}@${digest}`, origin, verifier);
      words.add(told);
      expect(known.get(key) ?? told).toBe(told);
      known.set(key, told);
    }),
    { seed: 6_014, numRuns: 1_000 },
  );
  expect(known.size).toBe(words.size);
});
