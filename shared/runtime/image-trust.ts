import { openOutside } from '#shared/adapters/http/open-outside.ts';
import { openJudge } from '#shared/adapters/image-trust/open-judge.ts';
import type { Askable, JudgeParts } from '#shared/adapters/image-trust/parts.ts';
import { pullSecretsOn } from '#shared/adapters/image-trust/pull-secrets.ts';
import { keptFiles } from '#shared/adapters/notary/kept-files.ts';
import { openRegistry } from '#shared/adapters/registry/open-registry.ts';
import { type AskedVouching, vouchingFor } from '#shared/domain/image-trust/registry-rules.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { type ImageTrustSettings, milliseconds } from '#shared/domain/image-trust/settings.ts';
import { type OriginOf, signedName } from '#shared/domain/image-trust/signed-name.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { BootstrapDocument } from '#shared/domain/pod-bootstrap/document.ts';
import { originOf as bootstrapOrigin } from '#shared/domain/pod-bootstrap/origin.ts';
import { rulesOf } from '#shared/domain/pod-bootstrap/rewrite.ts';
import { documentIn } from '#shared/domain/pod-bootstrap/settings.ts';
import type { Clock, Cluster, ImageJudge, Ports } from '#shared/ports.ts';
import type { OwnSecrets } from './notary-login.ts';
import { openProvers } from './open-provers.ts';

export type ImageTrustParts = {
  readonly settings: Ports['settings'];
  readonly clock: Clock;
  readonly cluster: Pick<Cluster, 'find'>;
  readonly bootstrapDocument: Pick<Ports['bootstrapDocument'], 'current'>;
  readonly store: VerdictStore;
  /** A door that is there already; tests have the world behind it. */
  readonly outside?: Outside | undefined;
  /** Tests have no minute. */
  readonly boundMs?: number | undefined;
  readonly patienceMs?: number | undefined;
};

export type ImageTrust = ImageJudge & {
  /** Who is asked about an image; nobody where its name is none. */
  vouchingFor(image: string, rules: TrustRules): Promise<AskedVouching | undefined>;
  close(): void;
};

/** Judge, verifiers, registry and the door to the outside, joined. Nothing is asked yet. */
export function imageTrust(parts: ImageTrustParts): ImageTrust {
  const { settings, clock, cluster, store, boundMs = 60_000, patienceMs = 2_000 } = parts;
  const keptMs = () => milliseconds(settings.current().imageTrust.lifetimes.pullSecrets);
  const { ofPod, ofSecret } = pullSecretsOn({ cluster, clock, keptMs });
  const loginsIn = (name: string) => ofSecret(settings.current().installation.namespace, name);
  const askable = openAskable({ ...parts, loginsIn });
  const originOf = origins(parts);
  const judge: JudgeParts = {
    ...{ store, clock },
    askable: askable.current,
    originOf,
    loginsOf: ofPod,
    chance: Math.random,
    leaseMs: (settings.current().server.timeoutSeconds * 1_000) / 2,
    ...{ boundMs, patienceMs },
  };
  return {
    ...openJudge(judge),
    vouchingFor: async (image, rules) => {
      const named = signedName(image, await originOf());
      return named.kind === 'named' ? vouchingFor(named.signed, rules) : undefined;
    },
    close: askable.close,
  };
}

/** Whatever a changed configuration says of the outside is true from the next question on. */
function openAskable({ settings, clock, outside, loginsIn }: ImageTrustParts & OwnSecrets) {
  const files = keptFiles(64 << 20);
  let made:
    | { readonly of: ImageTrustSettings; readonly askable: Askable; close(): void }
    | undefined;
  const open = (of: ImageTrustSettings) => {
    const door = outside ?? doorTo(of);
    const registry = openRegistry(
      { outside: door, now: () => clock.now().getTime() },
      { ...of, deadlineMs },
    );
    const provers = openProvers({ settings: of, door, registry, files, clock, loginsIn });
    const askable = { settings: of, registry, provers };
    return { of, askable, close: outside === undefined ? door.close : () => undefined };
  };
  return {
    current: () => {
      const { imageTrust: now } = settings.current();
      if (made?.of === now) return made.askable;
      // What is under way on the old door ends by itself; its connections idle out.
      made = open(now);
      return made.askable;
    },
    close: () => made?.close(),
  };
}

/** Of one read from a registry, or of one file of a Notary. */
const deadlineMs = 20_000;

export function doorTo({ hosts, connectionsPerHost }: ImageTrustSettings): Outside {
  return openOutside({ hosts, connectionsPerHost, deadlineMs, userAgent: 'gatehouse' });
}

/** Of the document that rewrites what pods pull; the same function for the same document, so that answers can be kept by it. */
function origins({ settings, bootstrapDocument }: ImageTrustParts) {
  let made: { readonly of: BootstrapDocument; readonly origin: OriginOf } | undefined;
  return async (): Promise<OriginOf> => {
    if (!settings.current().capabilities.includes('pod-bootstrap')) return itself;
    const { podBootstrap } = settings.current();
    // As `bootstrap-pod` has it: what stands in the settings goes before the ConfigMap.
    const document = documentIn(podBootstrap) ?? (await bootstrapDocument.current());
    if (document === undefined) return itself;
    if (made?.of !== document) {
      const rules = rulesOf(document);
      made = { of: document, origin: (image) => bootstrapOrigin(image, rules) };
    }
    return made.origin;
  };
}

const itself: OriginOf = () => ({ kind: 'itself' });
