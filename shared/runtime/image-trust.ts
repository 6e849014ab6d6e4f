import { readRootText } from '#shared/adapters/cosign/trusted-root.ts';
import { fairly } from '#shared/adapters/http/fair-lookup.ts';
import { type Resolve, resolveBySystem } from '#shared/adapters/http/guarded-lookup.ts';
import { openOutside } from '#shared/adapters/http/open-outside.ts';
import { openScout } from '#shared/adapters/http/scout.ts';
import { asBelieved } from '#shared/adapters/image-trust/as-believed.ts';
import { openJudge } from '#shared/adapters/image-trust/open-judge.ts';
import type { Askable, JudgeParts } from '#shared/adapters/image-trust/parts.ts';
import { pullSecretsOn } from '#shared/adapters/image-trust/pull-secrets.ts';
import { trustFilesOn } from '#shared/adapters/image-trust/trust-files.ts';
import { keptFiles } from '#shared/adapters/notary/kept-files.ts';
import { openRegistry } from '#shared/adapters/registry/open-registry.ts';
import { outsideHosts } from '#shared/domain/image-trust/outside-hosts.ts';
import { platformHosts } from '#shared/domain/image-trust/platform-hosts.ts';
import { type AskedVouching, vouchingFor } from '#shared/domain/image-trust/registry-rules.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { type ImageTrustSettings, milliseconds } from '#shared/domain/image-trust/settings.ts';
import { type OriginOf, signedName } from '#shared/domain/image-trust/signed-name.ts';
import { restOnFiles, trustFilesIn } from '#shared/domain/image-trust/trust-files.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { BootstrapDocument } from '#shared/domain/pod-bootstrap/document.ts';
import { originOf as bootstrapOrigin } from '#shared/domain/pod-bootstrap/origin.ts';
import { rulesOf } from '#shared/domain/pod-bootstrap/rewrite.ts';
import { documentIn } from '#shared/domain/pod-bootstrap/settings.ts';
import type { Registry } from '#shared/domain/registry/registry.ts';
import type { Clock, Cluster, ImageJudge, Ports } from '#shared/ports.ts';
import type { OwnSecrets } from './notary-login.ts';
import { openProvers } from './open-provers.ts';

type Documents = Pick<Ports['bootstrapDocument'], 'current'>;

export type ImageTrustParts = {
  readonly settings: Ports['settings'];
  readonly clock: Clock;
  readonly cluster: Pick<Cluster, 'find'>;
  readonly bootstrapDocument: Documents;
  readonly store: VerdictStore;
  /** A door that is there already; tests have the world behind it. */
  readonly outside?: Outside | undefined;
  /** Names of a test's own, behind the door that is opened here. */
  readonly resolve?: Resolve | undefined;
  /** Tests have no minute. */
  readonly boundMs?: number | undefined;
  readonly patienceMs?: number | undefined;
  readonly readText?: ((path: string) => Promise<string>) | undefined;
  /** Whoever shows all that is found out, as a command does, has nobody to tell of bugs. */
  readonly threw?: JudgeParts['threw'] | undefined;
};

export type ImageTrust = ImageJudge & {
  /** The same judge, by a document that is read elsewhere. */
  goingBy(documents: Documents): ImageJudge;
  /** Who is asked about an image; nobody where its name is none. */
  vouchingFor(image: string, rules: TrustRules): Promise<AskedVouching | undefined>;
  close(): void;
};

/** Judge, verifiers, registry and the door to the outside, joined. Nothing is asked yet. */
export function imageTrust(parts: ImageTrustParts): ImageTrust {
  const { settings, clock, cluster, store, boundMs = 60_000, patienceMs = 2_000 } = parts;
  const imageSettings = () => settings.current().imageTrust;
  const keptMs = () => milliseconds(imageSettings().lifetimes.pullSecrets);
  const { ofPod, ofSecret } = pullSecretsOn({ cluster, clock, keptMs });
  const loginsIn = (name: string) => ofSecret(settings.current().installation.namespace, name);
  const askable = openAskable({ ...parts, loginsIn });
  const originIn = origins(parts);
  const originOf = () => originIn(parts.bootstrapDocument);
  const judge: JudgeParts = {
    ...{ store: asBelieved(store, { clock, settings: imageSettings }), clock },
    askable: askable.current,
    ready: askable.ready,
    loginsOf: ofPod,
    threw: parts.threw ?? (() => undefined),
    chance: Math.random,
    leaseMs: () => (settings.current().server.timeoutSeconds * 1_000) / 2,
    ...{ boundMs, patienceMs },
  };
  const judging = openJudge(judge);
  return {
    ...judging(originOf),
    goingBy: (documents) => judging(() => originIn(documents)),
    vouchingFor: async (image, rules) => {
      const named = signedName(image, await originOf());
      return named.kind === 'named' ? vouchingFor(named.signed, rules) : undefined;
    },
    close: askable.close,
  };
}

/** Whatever a changed configuration or a changed file of trust says is true from the next question on. */
function openAskable({
  settings,
  clock,
  outside,
  loginsIn,
  ...parts
}: ImageTrustParts & OwnSecrets) {
  const notaryFiles = keptFiles(64 << 20);
  const { readText = readRootText, resolve = lookUp } = parts;
  const trustFiles = trustFilesOn({ clock, readText });
  let made: Made | undefined;
  const opened = (of: ImageTrustSettings): Made => {
    if (outside === undefined) lookUpAll(platformHosts(of), resolve);
    const door = outside ?? doorTo(of, resolve);
    const now = () => clock.now().getTime();
    const registry = openRegistry({ outside: door, now }, { ...of, deadlineMs });
    const close = outside === undefined ? door.close : () => undefined;
    return { door, paths: trustFilesIn(of), ...asked(of, { door, registry }), close };
  };
  const asked = (of: ImageTrustSettings, { door, registry }: Pick<Made, 'door' | 'registry'>) => {
    const files = trustFiles.current();
    const joined = { settings: of, door, registry, files, notaryFiles, clock, loginsIn };
    return { registry, askable: { settings: of, files, registry, provers: openProvers(joined) } };
  };
  const forSettings = (): Made => {
    const { imageTrust: of } = settings.current();
    // What is under way on the old door ends by itself; its connections idle out.
    if (made?.askable.settings !== of) made = opened(of);
    return made;
  };
  return {
    ready: (rules: TrustRules) => {
      const { askable, paths } = forSettings();
      const isAsked = paths.length > 0 && restOnFiles(rules, askable.settings);
      return isAsked ? trustFiles.look(paths) : undefined;
    },
    current: () => {
      const known = forSettings();
      if (known.askable.files === trustFiles.current()) return known.askable;
      made = { ...known, ...asked(known.askable.settings, known) };
      return made.askable;
    },
    close: () => made?.close(),
  };
}

type Made = {
  readonly askable: Askable;
  readonly door: Outside;
  readonly registry: Registry;
  readonly paths: readonly string[];
  close(): void;
};

/** Of one read from a registry, or of one file of a Notary. */
const deadlineMs = 20_000;

export function doorTo(settings: ImageTrustSettings, resolve: Resolve = lookUp): Outside {
  const { connectionsPerHost } = settings;
  const hosts = outsideHosts(settings);
  return openOutside({ hosts, connectionsPerHost, deadlineMs, resolve, userAgent: 'gatehouse' });
}

/** Of the whole process, as what it shares is: whoever opens another door knows what is known, and stands in the same line. */
const lookUp = fairly(resolveBySystem, { isAnswered: openScout({ mostMs: 1_000 }) });

/** The first in line: what namespaces name comes behind them. Whoever asks for one that is not found hears of it. */
function lookUpAll(names: readonly string[], resolve: Resolve): void {
  for (const name of names) void resolve(name).catch(() => undefined);
}

/** Of the document that rewrites what pods pull; the same function for the same document, so that answers can be kept by it. */
function origins({ settings }: Pick<ImageTrustParts, 'settings'>) {
  let made: { readonly of: BootstrapDocument; readonly origin: OriginOf } | undefined;
  return async (documents: Documents): Promise<OriginOf> => {
    if (!settings.current().capabilities.includes('pod-bootstrap')) return itself;
    const { podBootstrap } = settings.current();
    // As `bootstrap-pod` has it: what stands in the settings goes before the ConfigMap.
    const document = documentIn(podBootstrap) ?? (await documents.current());
    if (document === undefined) return itself;
    if (made?.of !== document) {
      const rules = rulesOf(document);
      made = { of: document, origin: (image) => bootstrapOrigin(image, rules) };
    }
    return made.origin;
  };
}

const itself: OriginOf = () => ({ kind: 'itself' });
