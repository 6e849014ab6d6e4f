import type { ServerResponse } from 'node:http';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  type Content,
  configType,
  contentOf,
  descriptorOf,
  imageType,
  makeImage,
  makeIndex,
} from '#test/support/registry/pushed-image.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';
import { type Outside, pour } from './outside.ts';
import { podOf } from './pod.ts';
import { signAtPlatform } from './sign-at-platform.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

/** Registries that send something else than they say, and something else than was signed. */
export function lyingVectors(places: Places): readonly Vector[] {
  const namespace = placeIn(places, 'system');
  return [
    ...lies.map(({ name, evil, twin }, index) => ({
      ...{ name, theme: 'lying', namespaces: [] },
      evil: playing(`evil-${index}`, evil, namespace),
      twin: playing(`twin-${index}`, twin, namespace),
    })),
    tokenInHiding(namespace),
  ];
}

type Lie = { readonly name: string; readonly evil: Tell; readonly twin: Tell };
/** The image of this name is the honest one. */
type Tell = (name: string) => Told;
type Told = {
  /** As a Notary has it. */
  readonly signed: string;
  /** What is asked for by its digest; by the tag alone where it is left out. */
  readonly digest?: string;
  readonly script: Script;
  /** What is to be found under its own digest, too. */
  readonly content?: Content;
};

const imageOf = (name: string) => makeImage(name).manifest;
const configurationOf = (name: string) => makeImage(name).config;

function sending({ mediaType, bytes }: Content, headers: Record<string, string> = {}): Script {
  return (_, response) => answer(response, { 'content-type': mediaType, ...headers }, bytes);
}

function answer(response: ServerResponse, headers: Record<string, string>, bytes: Buffer): void {
  response.writeHead(200, headers).end(bytes);
}

/** Its layers are anybody's; its configuration is the one that was signed. */
function borrowing(name: string, more: JsonObject = {}, mediaType = imageType): Content {
  return contentOf(mediaType, {
    schemaVersion: 2,
    mediaType: imageType,
    config: descriptorOf({ ...configurationOf(name), mediaType: configType }),
    layers: [descriptorOf(makeImage(`evil-${name}`).layer)],
    ...more,
  });
}

const bySignedConfiguration = (made: (name: string) => Content) => (name: string) => ({
  signed: `the configuration of ${name}`,
  content: made(name),
  script: sending(made(name)),
});
const honestlyBorrowing = bySignedConfiguration(imageOf);

const megabyte = 1024 * 1024;
/** Of this length, and signed as it is. */
function padded(length: number): Tell {
  return (name) => {
    const content = makeImage(name, { annotations: { padding: 'x'.repeat(length) } }).manifest;
    return { signed: content.digest, script: sending(content) };
  };
}

const lies: readonly Lie[] = [
  {
    name: 'other content under a header that names the signed digest',
    evil: (name) => ({
      signed: name,
      script: sending(imageOf(`evil-${name}`), { 'docker-content-digest': imageOf(name).digest }),
    }),
    twin: (name) => ({
      signed: name,
      script: sending(imageOf(name), { 'docker-content-digest': imageOf(`evil-${name}`).digest }),
    }),
  },
  {
    name: 'a question for the headers alone that is answered with the signed image',
    evil: (name) => ({
      signed: name,
      script: (request, response, heard) => {
        const shown = imageOf(request.method === 'HEAD' ? name : `evil-${name}`);
        sending(shown, { 'docker-content-digest': shown.digest })(request, response, heard);
      },
    }),
    twin: (name) => ({ signed: name, script: sending(imageOf(name)) }),
  },
  {
    name: 'under the digest of what nobody signed an image whose configuration is signed',
    evil: (name) => ({
      ...honestlyBorrowing(name),
      digest: imageOf(`evil-${name}`).digest,
    }),
    twin: (name) => ({ ...honestlyBorrowing(name), digest: imageOf(name).digest }),
  },
  {
    name: 'a list that nobody signed, of an image that is signed',
    evil: (name) => ({ signed: name, script: sending(makeIndex(imageOf(name))) }),
    twin: (name) => {
      const list = makeIndex(imageOf(name));
      return { signed: list.digest, script: sending(list) };
    },
  },
  {
    name: 'a signed list with a foreign image put into it',
    evil: (name) => ({
      signed: makeIndex(imageOf(name)).digest,
      script: sending(makeIndex(imageOf(name), imageOf(`evil-${name}`))),
    }),
    twin: (name) => {
      const list = makeIndex(imageOf(name), imageOf(`more-${name}`));
      return { signed: list.digest, script: sending(list) };
    },
  },
  {
    name: 'more layers than the signed configuration has',
    evil: bySignedConfiguration((name) => {
      const layers = [makeImage(name).layer, makeImage(`evil-${name}`).layer].map(descriptorOf);
      return borrowing(name, { layers });
    }),
    twin: honestlyBorrowing,
  },
  {
    name: 'an image that is a list as well, whose configuration is signed',
    evil: bySignedConfiguration((name) =>
      borrowing(name, { manifests: [descriptorOf(imageOf(`evil-${name}`))] }),
    ),
    twin: honestlyBorrowing,
  },
  {
    name: "an image that is one of Docker's schema 1 as well, whose configuration is signed",
    evil: bySignedConfiguration((name) =>
      borrowing(name, { fsLayers: [{ blobSum: makeImage(`evil-${name}`).layer.digest }] }),
    ),
    twin: honestlyBorrowing,
  },
  {
    name: 'an image that says a second configuration in capitals',
    evil: bySignedConfiguration((name) =>
      borrowing(name, { Config: descriptorOf(configurationOf(`evil-${name}`)) }),
    ),
    twin: honestlyBorrowing,
  },
  {
    name: 'an image that is sent as another type than it says',
    evil: bySignedConfiguration((name) =>
      borrowing(name, {}, 'application/vnd.docker.distribution.manifest.v2+json'),
    ),
    twin: honestlyBorrowing,
  },
  ...['application/vnd.docker.distribution.manifest.v1+prettyjws', 'application/octet-stream'].map(
    (mediaType) => ({
      name: `an image that is sent as ${mediaType}, whose configuration is signed`,
      evil: bySignedConfiguration((name) => borrowing(name, { mediaType }, mediaType)),
      twin: honestlyBorrowing,
    }),
  ),
  {
    name: 'a manifest so large that nobody should read it, though it is signed',
    evil: padded(5 * megabyte),
    twin: padded(3 * megabyte),
  },
  {
    name: 'a manifest that does not end',
    evil: (name) => ({
      signed: name,
      script: (_, response) => {
        response.writeHead(200, { 'content-type': imageType });
        pour(response);
      },
    }),
    twin: (name) => ({ signed: name, script: sending(imageOf(name)) }),
  },
];

function playing(name: string, tell: Tell, namespace: StatedNamespace): Play {
  return async ({ outside, admit }) => {
    const repository = `lying/${name}`;
    const gun = `registry.example/${repository}`;
    const { signed, digest, script, content } = tell(name);
    keep(outside, repository, name);
    if (content !== undefined) outside.registry.memory.keep(repository, content);
    await signAtPlatform(outside, { [gun]: { '1.0': signed } });
    for (const at of ['1.0', ...(digest === undefined ? [] : [digest])]) {
      outside.registry.scripts.set(`/v2/${repository}/manifests/${at}`, script);
    }
    const image = digest === undefined ? `${gun}:1.0` : `${gun}:1.0@${digest}`;
    return admit({ namespace, object: podOf(image) });
  };
}

/** What is signed, and what would run in its place, is all there to be read. */
function keep({ registry: { memory } }: Outside, repository: string, name: string): void {
  for (const { manifest, config } of [makeImage(name), makeImage(`evil-${name}`)]) {
    memory.keep(repository, manifest);
    memory.keepBlob(repository, config);
  }
}

/** A registry says itself where tokens are given: nobody goes to an address that is not open because of that. */
function tokenInHiding(namespace: StatedNamespace): Vector {
  const asking =
    (name: string, at: 'host' | 'hidden'): Play =>
    async ({ outside, admit }) => {
      const repository = `lying/token-${name}`;
      const gun = `registry.example/${repository}`;
      const realm = `/token/${outside.run}/${name}`;
      outside.registry.scripts.set(realm, (_, response) => {
        response.end(JSON.stringify({ token: name }));
      });
      outside.registry.scripts.set(
        `/v2/${repository}/manifests/1.0`,
        (request, response, heard) => {
          if (heard.authorization === `Bearer ${name}`) {
            sending(imageOf(name))(request, response, heard);
            return;
          }
          const challenge = `Bearer realm="https://${outside[at]}${realm}",service="registry"`;
          response.writeHead(401, { 'www-authenticate': challenge }).end();
        },
      );
      await signAtPlatform(outside, { [gun]: { '1.0': name } });
      const { admitted, said } = await admit({ namespace, object: podOf(`${gun}:1.0`) });
      const isAsked = outside.askedInHiding().some((path) => path.startsWith(realm));
      return { admitted: admitted || isAsked, said };
    };
  return {
    name: 'a registry whose token server is at an address that is not open',
    theme: 'lying',
    namespaces: [],
    evil: asking('evil', 'hidden'),
    twin: asking('twin', 'host'),
  };
}
