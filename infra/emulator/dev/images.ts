import { parseImage } from '#shared/domain/image.ts';
import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import type { OutsideHost } from '#shared/domain/outside.ts';
import { endpointsOf, type RegistryMirror } from '#shared/domain/registry/endpoint.ts';
import type { RepositoryPlace } from '#shared/domain/registry/keyring.ts';
import type { FoundManifest, Read } from '#shared/domain/registry/registry.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import type { ResolvedImage, ResolveImage } from '../controllers/kubelet/options.ts';
import { seldom } from './seldom.ts';

export type Images = {
  readonly resolveImage: ResolveImage;
  close(): void;
};

type ImagesOptions = {
  readonly config: Pick<ConfigSource, 'current'>;
  readonly say: (text: string) => void;
};

const minuteMs = 60_000;
/** A pod waits for it: a registry that is slower counts as one that is not there. */
const deadlineMs = 5_000;

/** What images are in the registries that the configuration knows, read as the product reads them; nobody else is asked. */
export function openImages({ config, say }: ImagesOptions): Images {
  const warn = seldom({ say, everyMs: minuteMs });
  const registries = openRegistries();
  return {
    async resolveImage(reference, show) {
      const { imageTrust: settings } = config.current();
      const parsed = parseImage(reference);
      if (!parsed.ok || !isConfigured(parsed.image, settings)) return { kind: 'foreign' };
      const registry = await registries.of(settings);
      const logins = await show();
      const signal = AbortSignal.timeout(deadlineMs);
      const read = await registry.manifest(parsed.image, { logins, reach: 'internal', signal });
      const warning = warningOf(read);
      if (warning !== undefined) warn(`${parsed.image.registry}: ${warning}`);
      return resolvedBy(read, reference);
    },
    close: registries.close,
  };
}

type Known = {
  readonly hosts: readonly Pick<OutsideHost, 'host'>[];
  readonly mirrors: readonly RegistryMirror[];
};

/** A registry that has a mirror, or stands among the hosts. */
export function isConfigured(image: RepositoryPlace, { hosts, mirrors }: Known): boolean {
  return endpointsOf(image, mirrors).some(
    ({ host, isMirror }) => isMirror || hosts.some((known) => known.host === host.toLowerCase()),
  );
}

/** Only a registry's own word, that the image is not there or not for this pod, fails a pull: work goes on without a network. */
function resolvedBy(read: Read<FoundManifest>, reference: string): ResolvedImage {
  switch (read.kind) {
    case 'found':
      return { kind: 'digest', digest: read.digest };
    case 'not-found':
      return { kind: 'failed', why: `${reference}: not found: ${read.about}` };
    case 'refused':
      return read.why === 'denied' ? denied(reference, read.about) : { kind: 'foreign' };
    case 'unavailable':
      return { kind: 'foreign' };
  }
}

/** In containerd's words. */
function denied(reference: string, about: string): ResolvedImage {
  const unresolved = `failed to pull and unpack image "${reference}": failed to resolve reference "${reference}"`;
  const access = 'pull access denied, repository does not exist or may require authorization';
  return { kind: 'failed', why: `${unresolved}: ${access}: ${about}` };
}

function warningOf(read: Read<FoundManifest>): string | undefined {
  if (read.kind === 'found' || read.kind === 'not-found' || read.why === 'denied') return undefined;
  return `digests of its images are made up (${read.why}: ${read.about})`;
}

/** Opened when first asked, since it loads an HTTP client; anew when the settings have changed. */
function openRegistries() {
  let made:
    | { readonly of: ImageTrustSettings; readonly door: ReturnType<typeof opened> }
    | undefined;
  return {
    async of(settings: ImageTrustSettings) {
      if (made?.of !== settings) {
        // What is under way on the old door ends by itself.
        made = { of: settings, door: opened(settings) };
      }
      return (await made.door).registry;
    },
    close(): void {
      // What could not be opened has nothing to close; whoever asked was told why.
      void made?.door.then(
        ({ outside }) => outside.close(),
        () => undefined,
      );
    },
  };
}

async function opened(settings: ImageTrustSettings) {
  const [{ openOutside }, { openRegistry }] = await Promise.all([
    import('#shared/adapters/http/open-outside.ts'),
    import('#shared/adapters/registry/open-registry.ts'),
  ]);
  const { hosts, connectionsPerHost } = settings;
  const outside = openOutside({ hosts, connectionsPerHost, deadlineMs, userAgent: 'gatehouse' });
  const registry = openRegistry({ outside, now: Date.now }, { ...settings, deadlineMs });
  return { outside, registry };
}
