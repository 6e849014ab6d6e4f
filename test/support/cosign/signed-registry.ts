import { openCosign } from '#shared/adapters/cosign/open-cosign.ts';
import { decode } from '#shared/domain/decode.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import { type Authority, authority } from '#shared/domain/image-trust/cosign/settings.ts';
import { fallbackTag } from '#shared/domain/registry/digest.ts';
import type { RepositoryPlace } from '#shared/domain/registry/keyring.ts';
import { memoryRegistry, send } from '../registry/memory-registry.ts';
import { openWorld } from '../registry/outside-world.ts';
import { type Content, makeImage } from '../registry/pushed-image.ts';
import { as, registryOver } from '../registry/registry-world.ts';
import type { Script } from '../registry/scripted-host.ts';
import { bundleContent, bundleManifest, bundleType, referrersIndex } from './bundle.ts';
import { type SignedLayer, signatureManifest } from './signing.ts';

export const now = new Date('2030-01-01T00:00:00Z');

export function authorityOf(stated: Record<string, unknown>): Authority {
  const read = decode(authority, { name: 'team', ...stated });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

/** A registry on loopback with one image, whose signatures a test puts beside it. */
export async function openSignedRegistry(wrap: (script: Script) => Script = (script) => script) {
  const world = openWorld();
  const memory = memoryRegistry();
  const referring = new Map<string, Content>();
  const script: Script = (request, response, heard) => {
    const index = referring.get(heard.path);
    if (index === undefined) memory.script(request, response, heard);
    else send(response, index);
  };
  const host = await world.open('registry.test', wrap(script));
  const image = makeImage('app').manifest;
  memory.keep('team/app', image, '1.0');
  const outside = world.outside();
  const root: { text?: string } = {};
  const cosign = openCosign({
    registry: registryOver(outside, { deadlineMs: 2_000 }),
    readText: async () => {
      if (root.text === undefined) throw new Error('there is no such file');
      return root.text;
    },
  });
  const keepSigned = (repository: string, layers: readonly SignedLayer[], of: Content) => {
    for (const { content } of layers) memory.keepBlob(repository, content);
    memory.keep(repository, signatureManifest(layers), signatureTag(of.digest));
  };
  return {
    image,
    host,
    root,
    reference: `${host.host}/team/app`,
    memory,
    keepSigned: (layers: readonly SignedLayer[], of: Content = image) =>
      keepSigned('team/app', layers, of),
    keepSignedAt: (repository: string, layers: readonly SignedLayer[]) =>
      keepSigned(repository, layers, image),
    keepBundles: (
      bundles: readonly Parameters<typeof bundleContent>[0][],
      by: 'api' | 'tag' = 'api',
      stated: { readonly artifactType?: string } = { artifactType: bundleType },
    ) => {
      const referrers = bundles.map((bundle) => {
        const blob = bundleContent(bundle);
        const content = bundleManifest(blob, image);
        memory.keepBlob('team/app', blob);
        memory.keep('team/app', content);
        return { content, ...stated };
      });
      const index = referrersIndex(referrers);
      if (by === 'api') referring.set(`/v2/team/app/referrers/${image.digest}`, index);
      else memory.keep('team/app', index, fallbackTag(image.digest));
    },
    verify: (
      authorities: readonly Authority[],
      more: {
        repository?: string;
        tag?: string;
        digest?: string;
        signal?: AbortSignal;
        pulled?: RepositoryPlace;
      } = {},
    ) => {
      const { signal = new AbortController().signal, pulled, ...named } = more;
      return cosign.verify({
        image: {
          registry: host.host,
          repository: 'team/app',
          tag: '1.0',
          digest: undefined,
          ...named,
        },
        pulled,
        authorities,
        access: as(),
        signal,
        now,
      });
    },
    close: () => world.close(),
  };
}
