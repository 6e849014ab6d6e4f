import { makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';
import { digestFor, publish } from '#test/support/tuf/publish.ts';
import { plan } from '#test/support/tuf/scene.ts';
import { userNamespace } from './namespaces.ts';
import type { Outside } from './outside.ts';
import { podOf } from './pod.ts';
import { rootOf } from './root-of.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';

/** A registry that never showed an image, and then keeps away from us: what was verified goes on, and nothing beside it. */
export async function silentVectors(outside: Outside): Promise<readonly Vector[]> {
  return Promise.all(stories.map((story, index) => vectorOf(story, index, outside)));
}

type Story = {
  readonly name: string;
  readonly silence: Script;
  /** Beside the image that was verified, which the twin asks for again. */
  readonly evil: (verified: Verified) => string;
  /** Where what nobody can be asked about is let through. */
  readonly isLax?: boolean;
  /** By whom nothing was verified, and whose Notary signs another image of that name. */
  readonly isElsewhere?: boolean;
};

type Verified = { readonly gun: string; readonly digest: string };

const child = makeImage('silent').manifest;
/** Signed as `1.0`. */
const list = makeIndex(child);
const evilDigest = digestFor('silent-evil');

const hidden: Script = (_, response) => {
  response.writeHead(401, { 'www-authenticate': 'Basic realm="silent"' }).end();
};
const cutOff: Script = (_, response) => {
  response.destroy();
};
const failing: Script = (_, response) => {
  response.writeHead(503).end();
};
const hanging: Script = () => undefined;
const aPage: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>');
};

const stories: readonly Story[] = [
  {
    name: 'another digest under the tag of a verified one, whose registry is cut off',
    silence: cutOff,
    evil: ({ gun }) => `${gun}:1.0@${evilDigest}`,
  },
  {
    name: 'a verified digest under another tag, where its registry fails',
    silence: failing,
    evil: ({ gun, digest }) => `${gun}:2.0@${digest}`,
  },
  {
    name: 'a verified digest in another repository, where its registry is cut off',
    silence: cutOff,
    evil: ({ gun, digest }) => `${gun}-else:1.0@${digest}`,
  },
  {
    name: 'an image of a verified list, where the registry of both is cut off',
    silence: cutOff,
    evil: ({ gun }) => `${gun}:1.0@${child.digest}`,
  },
  {
    name: 'a digest that was verified for another namespace, where its registry is cut off',
    silence: cutOff,
    evil: ({ gun, digest }) => `${gun}:1.0@${digest}`,
    isElsewhere: true,
  },
  {
    name: 'a page for people in place of an image that nobody signed',
    silence: aPage,
    evil: ({ gun }) => `${gun}:1.0@${evilDigest}`,
  },
  {
    name: 'a tag that nobody signed, whose registry says nothing at all, where a namespace is not strict',
    silence: hanging,
    evil: ({ gun }) => `${gun}:2.0`,
    isLax: true,
  },
];

async function vectorOf(story: Story, index: number, outside: Outside): Promise<Vector> {
  const side = async (which: 'evil' | 'twin') => {
    const own = `silent-${index}-${which}`;
    const gun = `${outside.host}/silent/${own}`;
    const verified = { gun, digest: list.digest };
    const more = story.isLax === true ? { 'strict-mode': 'false' } : {};
    const [here, elsewhere] = [own, `${own}-else`].map((name) =>
      userNamespace(outside, name, more),
    );
    if (here === undefined || elsewhere === undefined) throw new Error('nowhere');
    const isEvil = which === 'evil';
    const playing: Playing = {
      ...{ own, verified, namespace: here, silence: story.silence },
      image: isEvil ? story.evil(verified) : signedImage(verified),
      asking: isEvil && story.isElsewhere === true ? elsewhere : here,
    };
    return { namespaces: [here, elsewhere], play: played(playing) };
  };
  const [evil, twin] = [await side('evil'), await side('twin')];
  const namespaces = [...evil.namespaces, ...twin.namespaces];
  return { name: story.name, theme: 'silent', namespaces, evil: evil.play, twin: twin.play };
}

function signedImage({ gun, digest }: Verified): string {
  return `${gun}:1.0@${digest}`;
}

type Playing = {
  readonly own: string;
  readonly verified: Verified;
  readonly namespace: StatedNamespace;
  readonly silence: Script;
  readonly image: string;
  readonly asking: StatedNamespace;
};

function played({ own, verified, namespace, silence, image, asking }: Playing): Play {
  return async ({ outside, admit }) => {
    await signFor(outside, own, verified.gun, verified.digest);
    await signFor(outside, `${own}-else`, verified.gun, evilDigest);
    tell(outside, own, hidden);
    const { admitted, said } = await admit({ namespace, object: podOf(signedImage(verified)) });
    if (!admitted) throw new Error(`it is refused while its registry is there: ${said}`);
    tell(outside, own, silence);
    return admit({ namespace: asking, object: podOf(image) });
  };
}

async function signFor({ notaries }: Outside, own: string, gun: string, digest: string) {
  const root = { signers: [await rootOf(gun)] };
  const files = publish({ ...plan, root, signed: { '1.0': digest } });
  notaries.set(own, (asked, file) => (asked === gun ? files.get(file) : undefined) ?? 'absent');
}

/** Whatever of it is asked for. */
function tell({ registry }: Outside, own: string, script: Script): void {
  for (const repository of [own, `${own}-else`]) {
    for (const name of ['1.0', '2.0', list.digest, child.digest, evilDigest]) {
      registry.scripts.set(`/v2/silent/${repository}/manifests/${name}`, script);
    }
  }
}
