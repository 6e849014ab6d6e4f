import { edited, fileOf, published, swapped } from '#test/support/tuf/attack.ts';
import { certified } from '#test/support/tuf/certified.ts';
import {
  type Delegated,
  digestFor,
  type Files,
  type Plan,
  publish,
} from '#test/support/tuf/publish.ts';
import { delegate, goodDigest, plan, thief } from '#test/support/tuf/scene.ts';
import { elliptic, inCertificate, type Signer } from '#test/support/tuf/signer.ts';
import { userNamespace } from './namespaces.ts';
import type { Outside } from './outside.ts';
import { podOf } from './pod.ts';
import { rootOf } from './root-of.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';

/** Attacks of the Notary client's tests that want another clock, other settings or other memories there: told so that a server can play them. */
export async function retoldVectors(outside: Outside): Promise<readonly Vector[]> {
  return Promise.all(stories.map((story, index) => vectorOf(story, index, outside)));
}

type Story = { readonly name: string; readonly evil: Tell; readonly twin: Tell };
type Tell = (start: Start) => Told | Promise<Told>;
type Start = {
  readonly gun: string;
  /** Of the image that is asked for. */
  readonly digest: string;
  /** Signs that image as `1.0`. */
  readonly honest: Plan;
};
type Told = {
  readonly files: Files;
  /** What is shown to the target before. */
  readonly seen?: Files;
  /** Under which it asks; `1.0` where it is left out. */
  readonly tag?: string;
};

/** More than an hour or two of a run, and less than what a clock may be wrong. */
const halfADay = new Date('2030-01-01T12:00:00Z');
const twoDays = new Date('2030-01-03T00:00:00Z');
/** Above what is read of a timestamp, and below. */
const padding = { evil: 70_000, twin: 60_000 };

const stories: readonly Story[] = [
  {
    name: 'a delegation with other bytes than the snapshot states, from a server',
    evil: ({ honest, digest }) => {
      const newer = publish({ ...honest, delegations: [releases({ '2.0': digest }, 2)] });
      const older = publish({ ...honest, delegations: [releases({ '2.0': digest })] });
      const [, bytes] = fileOf(newer, /^targets.releases/);
      return { files: swapped(older, /^targets.releases/, bytes), tag: '2.0' };
    },
    twin: ({ honest, digest }) => ({
      files: publish({ ...honest, delegations: [releases({ '2.0': digest }, 2)] }),
      tag: '2.0',
    }),
  },
  {
    name: 'mix and match from a server: the old targets with the new snapshot',
    evil: ({ honest }) => {
      const [, old] = fileOf(publish(honest), /^targets\./);
      return { files: swapped(publish(advanced(honest)), /^targets\./, old) };
    },
    twin: ({ honest }) => ({ files: publish(advanced(honest)) }),
  },
  {
    name: 'a delegation that the target does not accept',
    evil: ({ honest, digest }) => ({
      files: publish({ ...honest, delegations: [named('targets/other', { '2.0': digest })] }),
      tag: '2.0',
    }),
    twin: ({ honest, digest }) => ({
      files: publish({ ...honest, delegations: [releases({ '2.0': digest })] }),
      tag: '2.0',
    }),
  },
  {
    name: 'a delegation of a delegate, which the target does not accept',
    evil: ({ honest, digest }) => throughDelegate(honest, 'targets/releases/hourly', digest),
    twin: ({ honest, digest }) => throughDelegate(honest, 'targets/releases/nightly', digest),
  },
  {
    name: 'a root certificate that begins in two days',
    evil: (start) => beginning(start, twoDays),
    twin: (start) => beginning(start, halfADay),
  },
  {
    name: 'a version that only a stolen key could have signed, and what was true before it',
    evil: ({ honest }) => ({ seen: farAhead(honest), files: publish(honest) }),
    twin: async ({ honest, gun }) => {
      const successor = await rootOf(gun);
      const { signers } = honest.root;
      const root = { version: 2, signers: [successor], signedBy: [...signers, successor] };
      const healed = { ...honest, root, timestamp: { signers: [elliptic()] } };
      return { seen: farAhead(honest), files: published(honest, healed) };
    },
  },
  {
    name: 'a collection that its Notary knows no more',
    evil: ({ honest }) => ({ seen: publish(honest), files: new Map() }),
    twin: ({ honest }) => ({ seen: publish(honest), files: publish(honest) }),
  },
  {
    name: 'a timestamp so large that nobody should read it, though it is signed',
    evil: ({ honest }) => padded(honest, padding.evil),
    twin: ({ honest }) => padded(honest, padding.twin),
  },
];

function named(name: string, targets: Delegated['targets'], version = 1): Delegated {
  return { name, signers: [delegate], paths: [''], targets, version };
}

function releases(targets: Delegated['targets'], version?: number): Delegated {
  return named('targets/releases', targets, version);
}

function throughDelegate(honest: Plan, name: string, digest: string): Told {
  const inner = { name, signers: [thief], paths: [''], targets: { '3.0': digest } };
  const delegations = [{ ...releases({ '2.0': goodDigest }), delegations: [inner] }];
  return { files: publish({ ...honest, delegations }), tag: '3.0' };
}

function advanced(honest: Plan): Plan {
  const next = { version: 2 };
  return {
    ...honest,
    timestamp: { ...honest.timestamp, ...next },
    snapshot: { ...honest.snapshot, ...next },
    targets: { ...honest.targets, ...next },
    signed: { ...honest.signed, '2.0': goodDigest },
  };
}

async function beginning({ gun, honest }: Start, notBefore: Date): Promise<Told> {
  const { pem, privateKey } = await certified({ commonName: gun, notBefore });
  const signer: Signer = inCertificate(pem, privateKey);
  return { files: publish({ ...honest, root: { signers: [signer] } }) };
}

function farAhead(honest: Plan): Files {
  return publish({ ...honest, timestamp: { ...honest.timestamp, version: 2 ** 40 } });
}

function padded(honest: Plan, length: number): Told {
  const files = edited(honest, {
    timestamp: (content) => ({ ...content, padding: 'x'.repeat(length) }),
  });
  return { files };
}

async function vectorOf(story: Story, index: number, outside: Outside): Promise<Vector> {
  const side = async (which: 'evil' | 'twin') => {
    const own = `retold-${index}-${which}`;
    const gun = `registry.example/retold/${own}`;
    const digest = digestFor(own);
    const root = { signers: [await rootOf(gun)] };
    const told = await story[which]({
      gun,
      digest,
      honest: { ...plan, root, signed: { '1.0': digest } },
    });
    const namespace = userNamespace(outside, own);
    return { namespace, play: playing({ own, gun, digest, namespace, told }) };
  };
  const [evil, twin] = [await side('evil'), await side('twin')];
  const namespaces = [evil.namespace, twin.namespace];
  return { name: story.name, theme: 'retold', namespaces, evil: evil.play, twin: twin.play };
}

type Playing = {
  readonly own: string;
  readonly gun: string;
  readonly digest: string;
  readonly namespace: StatedNamespace;
  readonly told: Told;
};

/** What is to have been seen is asked for under a tag that is not there. */
function playing({ own, gun, digest, namespace, told }: Playing): Play {
  const { files, seen, tag = '1.0' } = told;
  return async ({ outside, admit }) => {
    const serve = (all: Files) =>
      outside.notaries.set(own, (asked, file) =>
        asked === gun ? (all.get(file) ?? 'absent') : 'absent',
      );
    outside.registry.keep(`retold/${own}`, tag, own);
    if (seen !== undefined) {
      serve(seen);
      await admit({ namespace, object: podOf(`${gun}:0.0@${digest}`) });
    }
    serve(files);
    return admit({ namespace, object: podOf(`${gun}:${tag}@${digest}`) });
  };
}
