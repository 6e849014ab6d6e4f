import { writeFileSync } from 'node:fs';
import type { JsonObject } from '#shared/domain/json.ts';
import { annotationsOf } from '#test/support/cosign/bundle.ts';
import {
  type LocalSigstore,
  openSigstore,
  type Person,
} from '#test/support/cosign/local-sigstore.ts';
import { layerOf, payloadOf, statementOf } from '#test/support/cosign/signing.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { type Made, playing, type Said } from './cosign-vectors.ts';
import type { Outside } from './outside.ts';
import type { Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

const robot: Person = { subject: 'https://ci.test/release.yaml', issuer: 'https://issuer.test' };

export const keylessName = 'attack-robot';

/** As `imageTrust.cosign.authorities` has it. */
export function keylessAuthority({ trustedRoot }: Pick<Outside, 'trustedRoot'>) {
  const { subject, issuer } = robot;
  return { name: keylessName, keyless: { issuer, identity: subject, trustedRoot } };
}

export type KeylessVectors = {
  readonly vectors: readonly Vector[];
  close(): Promise<void>;
};

type Town = {
  readonly trusted: LocalSigstore;
  /** Trusted as well; its log saw everything an hour after the certificate. */
  readonly late: LocalSigstore;
  /** Whom nobody trusts. */
  readonly foreign: LocalSigstore;
};

/** Authorities and logs of this run; the file of the trusted root is written as soon as they are there. */
export async function openKeylessVectors(
  outside: Outside,
  places: Places,
): Promise<KeylessVectors> {
  const authority = new Date();
  const log = new Date(authority.getTime() + 3_600_000);
  const [trusted, late, foreign] = await Promise.all([
    openSigstore(),
    openSigstore({ authority, log }),
    openSigstore(),
  ]);
  writeFileSync(outside.trustedRoot, JSON.stringify(together(trusted.root, late.root)));
  const namespace = placeIn(places, 'keyless');
  const town = { trusted, late, foreign };
  return {
    vectors: stories.map(({ name, evil, twin = asBundle }, index) => ({
      name: `keyless: ${name}`,
      theme: 'keyless',
      namespaces: [],
      evil: playing(`keyless-evil-${index}`, evil(town), namespace),
      twin: playing(`keyless-twin-${index}`, twin(town), namespace),
    })),
    close: async () => {
      await Promise.all([trusted.close(), late.close(), foreign.close()]);
    },
  };
}

/** One root that trusts both. */
function together(one: JsonObject, other: JsonObject): JsonObject {
  const joined = Object.entries(one).map(([key, value]) => {
    const more = other[key];
    return [key, Array.isArray(value) && Array.isArray(more) ? [...value, ...more] : value];
  });
  return Object.fromEntries(joined);
}

type Signing = (town: Town) => Made;
type Story = { readonly name: string; readonly evil: Signing; readonly twin?: Signing };

const foreignDigest = makeImage('evil').manifest.digest;

const asBundle: Signing =
  ({ trusted }) =>
  async (said) => ({ bundle: await trusted.signStatement(robot, statementOf(said)) });

/** In the annotations of a layer under the tag of signatures. */
const asLayer: Signing =
  ({ trusted }) =>
  async (said) => ({ layers: [layerOf(payloadOf(said), await oldProof(trusted, said))] });

async function oldProof(sigstore: LocalSigstore, said: Partial<Said> & Pick<Said, 'digest'>) {
  return annotationsOf(await sigstore.signBytes(robot, payloadOf(said)));
}

function bySomebody(person: Partial<Person>): Signing {
  return ({ trusted }) =>
    async (said) => ({
      bundle: await trusted.signStatement({ ...robot, ...person }, statementOf(said)),
    });
}

function by(who: keyof Town): Signing {
  return (town) => async (said) => ({
    bundle: await town[who].signStatement(robot, statementOf(said)),
  });
}

function without(value: JsonObject, key: string): JsonObject {
  return JSON.parse(JSON.stringify(value, (name, part) => (name === key ? undefined : part)));
}

function entriesIn(bundle: JsonObject): JsonObject {
  const { tlogEntries = null } = bundle['verificationMaterial'] as JsonObject;
  return { tlogEntries };
}

const stories: readonly Story[] = [
  { name: 'a signature by somebody else', evil: bySomebody({ subject: 'https://ci.test/other' }) },
  {
    name: 'a signature by a name that goes on',
    evil: bySomebody({ subject: `${robot.subject}.evil` }),
  },
  {
    name: 'a signature by the same name from another issuer',
    evil: bySomebody({ issuer: 'https://issuer.test/other' }),
  },
  { name: 'an authority and a log that nobody trusts', evil: by('foreign') },
  { name: 'a certificate that had expired when the log took it', evil: by('late') },
  {
    name: 'a signature that no log has taken, though a clock has seen it',
    evil:
      ({ trusted }) =>
      async (said) => ({ bundle: await trusted.stampStatement(robot, statementOf(said)) }),
  },
  {
    name: 'a signature without a proof that the log has it',
    evil:
      ({ trusted }) =>
      async (said) => ({
        bundle: without(await trusted.signStatement(robot, statementOf(said)), 'inclusionProof'),
      }),
  },
  {
    name: 'the log entry of another image',
    evil:
      ({ trusted }) =>
      async (said) => {
        const own = await trusted.signStatement(robot, statementOf(said));
        const other = statementOf({ ...said, digest: foreignDigest });
        const entries = entriesIn(await trusted.signStatement(robot, other));
        const material = own['verificationMaterial'] as JsonObject;
        return { bundle: { ...own, verificationMaterial: { ...material, ...entries } } };
      },
  },
  {
    name: 'a bundle of another digest',
    evil:
      ({ trusted }) =>
      async (said) => ({
        bundle: await trusted.signStatement(robot, statementOf({ ...said, digest: foreignDigest })),
      }),
  },
  {
    name: 'a statement that was changed after it was signed',
    evil:
      ({ trusted }) =>
      async (said) => {
        const before = statementOf({ ...said, digest: foreignDigest });
        const signed = JSON.stringify(await trusted.signStatement(robot, before));
        const after = statementOf(said).toString('base64');
        return { bundle: JSON.parse(signed.replaceAll(before.toString('base64'), after)) };
      },
  },
  {
    name: 'the log entry of another image in the older layout',
    evil:
      ({ trusted }) =>
      async (said) => {
        const own = await oldProof(trusted, said);
        const { rekor } = await oldProof(trusted, { ...said, digest: foreignDigest });
        return { layers: [layerOf(payloadOf(said), { ...own, rekor })] };
      },
    twin: asLayer,
  },
  {
    name: 'the certificate of another signature in the older layout',
    evil:
      ({ trusted }) =>
      async (said) => {
        const own = await oldProof(trusted, said);
        const { certificate } = await oldProof(trusted, { ...said, digest: foreignDigest });
        return { layers: [layerOf(payloadOf(said), { ...own, certificate })] };
      },
    twin: asLayer,
  },
];
