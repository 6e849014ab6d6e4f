import type { Definition } from '#shared/define.ts';
import type { Kind } from '#shared/domain/kind.ts';
import {
  clusterTrustBundles,
  configMaps,
  events,
  namespaces,
  nodes,
  podTemplates,
  secrets,
  serviceAccounts,
} from '#shared/domain/kind.ts';
import { resolveName } from '#shared/domain/place.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Access, Ports } from '#shared/ports.ts';
import { compare } from './plan.ts';

/** One line of a role: `namespace` is left out for a right in the whole cluster. */
export type Right = {
  readonly namespace?: string;
  readonly group: string;
  /** `pods`, `pods/eviction` */
  readonly resource: string;
  /** All of them where it is empty. */
  readonly names: readonly string[];
  readonly verbs: readonly string[];
};

/** What a port's adapter asks of the API server. A new port does not compile until it stands here, or below. */
const ofPort: Readonly<Record<Exclude<keyof Ports, 'bootstrapDocument'>, readonly Right[]>> = {
  settings: [],
  clock: [],
  certificates: [],
  conditions: [],
  measures: [],
  namespaces: [everywhere(namespaces, ['get', 'list'])],
  nodes: [everywhere(nodes, ['list'])],
  events: [everywhere(events, ['create', 'get', 'patch'])],
  // From the database: it is the forwarder that watches.
  mirror: [],
  restarts: [],
  // Pull secrets are named by the pods that are judged: nobody knows their names before. Single reads, never a list.
  images: [everywhere(secrets, ['get']), everywhere(serviceAccounts, ['get'])],
  // Whatever the function's own `access` says, and nothing else.
  cluster: [],
};

export function everywhere({ group, resource }: Kind, verbs: readonly string[]): Right {
  return { group, resource, names: [], verbs };
}

export function rightsOf(definition: Definition, settings: Settings): readonly Right[] {
  const { uses, access = [] } = definition;
  const ofPorts = uses.flatMap((port) => [
    ...(port === 'bootstrapDocument' ? [] : ofPort[port]),
    ...(readsDocument(port, settings) ? documentRights(settings, ['get', 'list']) : []),
    ...(port === 'bootstrapDocument' ? [trying(settings)] : []),
  ]);
  if (!uses.includes('cluster')) return ofPorts;
  return [...ofPorts, ...access.map((each) => ofAccess(each, settings))];
}

/** Images are judged by the name that they had before they were rewritten. */
function readsDocument(port: keyof Ports, { capabilities }: Settings): boolean {
  return (
    port === 'bootstrapDocument' || (port === 'images' && capabilities.includes('pod-bootstrap'))
  );
}

/** The one ConfigMap that holds the document, and the bundles of which it names one. */
export function documentRights(
  { podBootstrap }: Settings,
  verbs: readonly string[],
): readonly Right[] {
  const { namespace, name } = podBootstrap.configMap;
  return [
    { namespace, ...everywhere(configMaps, verbs), names: [name] },
    everywhere(clusterTrustBundles, verbs),
  ];
}

/** Whether pods keep a bundle is tried on a template, by dry run: stored it would start nothing. */
function trying({ installation: { namespace } }: Settings): Right {
  return { namespace, ...everywhere(podTemplates, ['create']) };
}

function ofAccess(
  { kind, subresource, verbs, names = [], namespace }: Access,
  settings: Settings,
): Right {
  return {
    ...(namespace === undefined ? {} : { namespace: namespaceOf(namespace, settings) }),
    group: kind.group,
    resource: subresource === undefined ? kind.resource : `${kind.resource}/${subresource}`,
    names: names.map((name) => resolveName(name, settings)),
    verbs,
  };
}

/** Gatehouse's own goes by `installation` until it is known where that is. */
export function namespaceOf(stated: string, { installation }: Settings): string {
  return stated === 'installation' ? installation.namespace : stated;
}

/** The same rights in the fewest lines, in one order whatever order they came in. */
export function mergeRights(rights: readonly Right[]): readonly Right[] {
  const lines = [...Map.groupBy(rights.flatMap(createApart), keyOf)]
    .toSorted(([a], [b]) => compare(a, b))
    .flatMap(([, [first, ...rest]]) =>
      first === undefined
        ? []
        : [{ ...first, verbs: distinct([first, ...rest], ({ verbs }) => verbs) }],
    );
  return lines
    .map((line) => ({ ...line, verbs: line.verbs.filter((verb) => !isGiven(verb, line, lines)) }))
    .filter(({ verbs }) => verbs.length > 0);
}

/** Kubernetes cannot narrow a `create` by name: in one line with names it would be granted to nothing. */
function createApart(right: Right): readonly Right[] {
  const sortedNames = { ...right, names: [...new Set(right.names)].toSorted(compare) };
  if (right.names.length === 0 || !right.verbs.includes('create')) return [sortedNames];
  return [
    { ...right, names: [], verbs: ['create'] },
    { ...sortedNames, verbs: right.verbs.filter((verb) => verb !== 'create') },
  ];
}

function keyOf({ namespace = '', group, resource, names }: Right): string {
  return JSON.stringify([namespace, group, resource, names]);
}

/** By a wider line: all names, or the whole cluster. */
function isGiven(verb: string, line: Right, lines: readonly Right[]): boolean {
  return lines.some(
    (other) =>
      other !== line &&
      other.group === line.group &&
      other.resource === line.resource &&
      other.names.length === 0 &&
      (other.namespace === undefined || other.namespace === line.namespace) &&
      other.verbs.includes(verb),
  );
}

function distinct<T>(items: readonly T[], valuesOf: (item: T) => readonly string[]) {
  return [...new Set(items.flatMap(valuesOf))].toSorted(compare);
}
