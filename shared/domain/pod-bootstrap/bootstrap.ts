import { type Change, patch, type Verdict } from '../verdict.ts';
import { type Bundling, bundle } from './bundling.ts';
import type { Configuration } from './configuration.ts';
import { appended } from './edits.ts';
import type { Feature } from './feature.ts';
import { imageChanges, imagesBrought, type Request } from './images.ts';
import { type BootPod, isMirrorPod, type Started, startedContainers } from './pod.ts';
import { type Decided, decideFeatures, isRefused } from './precedence.ts';
import { provenance } from './provenance.ts';
import type { TrustBundle } from './trust-bundle.ts';
import {
  fipsVariables,
  landscapeVariable,
  type Variable,
  variableChanges,
  wantedOf,
} from './variables.ts';

export type Facts = {
  readonly request: Request;
  /** The request's: a pod that a controller makes has none of its own yet. */
  readonly namespace: {
    readonly name: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly trustBundle: TrustBundle;
};

/** A pod that has all of it already is left as it is: the same on every call, whoever calls in between. */
export function bootstrapPod(pod: BootPod, configuration: Configuration, facts: Facts): Verdict {
  if (isMirrorPod(pod)) return patch([]);

  const { annotations } = pod.metadata;
  const decided = decideFeatures(configuration, { annotations, namespace: facts.namespace });
  const images = rewrites(pod, configuration, { decided, request: facts.request });
  if (facts.request.kind !== 'create') return patch(images);

  const started = startedContainers(pod);
  const { trustBundle } = facts;
  const bundling = bundle(pod, configuration, { decided, trustBundle, started });
  const changes = [
    ...images,
    ...pullSecret(pod, configuration, decided),
    ...bundling.changes,
    ...variables(started, configuration, { decided, bundling }),
  ];
  const marked = provenance(annotations, {
    features: inEffect(configuration, { decided, bundling }),
    configurationHash: configuration.hash,
    bundleHash: bundling.hash,
    isChanged: changes.length > 0,
  });
  const warnings = [
    ...decided.warnings,
    ...bundling.warnings,
    ...marked.warnings,
    ...unsaid(configuration, decided),
    ...withoutSecret(configuration, decided, facts.namespace),
  ];
  return patch([...changes, ...marked.changes], ...fewest(warnings));
}

const secretFeature = 'add-img-pull-secret';

type Asked = { readonly decided: Decided; readonly request: Request };

function rewrites(
  pod: BootPod,
  { rewritten }: Configuration,
  { decided, request }: Asked,
): readonly Change[] {
  const who = decided.on.get('alter-img-registry');
  return who === undefined ? [] : imageChanges(imagesBrought(pod, request), rewritten, who);
}

function pullSecret({ spec }: BootPod, { pullSecret: name }: Configuration, { on }: Decided) {
  const { imagePullSecrets } = spec;
  const who = on.get(secretFeature);
  if (who === undefined || imagePullSecrets.some((each) => each.name === name)) return [];
  const item = { value: { name }, why: `images are pulled with these credentials (${who})` };
  return appended('/spec/imagePullSecrets', imagePullSecrets.length, [item]);
}

type Doing = { readonly decided: Decided; readonly bundling: Bundling };

function variables(
  started: readonly Started[],
  { landscape }: Configuration,
  { decided: { on }, bundling }: Doing,
): readonly Change[] {
  const [fips, told] = [on.get('set-fips-mode'), on.get('set-landscape')];
  const shared: readonly Variable[] = [
    ...(fips === undefined ? [] : fipsVariables(fips)),
    ...(told === undefined || landscape === '' ? [] : [landscapeVariable(landscape, told)]),
  ];
  const wanted = wantedOf(shared);
  const withBundle = wantedOf([...shared, ...bundling.variables]);
  return started.flatMap((each) =>
    variableChanges(each, bundling.isSeenBy(each) ? withBundle : wanted),
  );
}

/** What is on and can be done. */
function inEffect({ landscape }: Configuration, { decided, bundling }: Doing): readonly Feature[] {
  return [...decided.on.keys()].filter((feature) => {
    if (feature === 'add-cluster-trust-bundle') return bundling.isMounted;
    return feature !== 'set-landscape' || landscape !== '';
  });
}

function unsaid({ landscape }: Configuration, { on }: Decided): readonly string[] {
  return on.has('set-landscape') && landscape === ''
    ? ['the landscape is not told to the containers: none is configured']
    : [];
}

/** A pod's own word counts for the pod; its namespace has none of the credentials then, and housekeeping waits. */
function withoutSecret(
  configuration: Configuration,
  { on }: Decided,
  namespace: Facts['namespace'],
): readonly string[] {
  const { pullSecret, pullSecretHome } = configuration;
  const isAtHome = namespace.name === pullSecretHome;
  if (isAtHome || !on.has(secretFeature) || !isRefused(secretFeature, configuration, namespace)) {
    return [];
  }
  return [`namespace ${namespace.name} is given no pull secret ${pullSecret}: it has opted out`];
}

const most = 8;
const longest = 250;

/** The API server cuts what is longer than 256 letters, or 4 KiB in all; names in them are somebody's. */
function fewest(warnings: readonly string[]): readonly string[] {
  const cut = warnings
    .slice(0, most)
    .map((warning) => (warning.length > longest ? `${warning.slice(0, longest)}…` : warning));
  return warnings.length <= most ? cut : [...cut, `and ${warnings.length - most} more like these`];
}
