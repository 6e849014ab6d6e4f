import { closest, distance } from 'fastest-levenshtein';

/** What the process is told from outside, read here and nowhere else. */
export type Environment = {
  readonly configFile: string | undefined;
  /** A folder of the user's own functions. */
  readonly functionsFolder: string | undefined;
  readonly kubeconfig: string | undefined;
  /** A kubeconfig's own text: a Lambda has no files of its own. */
  readonly kubeconfigText: string | undefined;
  /** The API server of the cluster that the process runs in. */
  readonly inCluster: { readonly host: string; readonly port: string } | undefined;
  readonly podName: string | undefined;
  readonly podNamespace: string | undefined;
  /** Where Knative wants to be answered. */
  readonly port: number | undefined;
  /** `undefined` leaves it to whether there is a terminal. */
  readonly colour: boolean | undefined;
  readonly warnings: readonly string[];
};

type Variables = Readonly<Record<string, string | undefined>>;

const ours = ['GATEHOUSE_CONFIG', 'GATEHOUSE_FUNCTIONS', 'GATEHOUSE_KUBECONFIG'];

export function readEnvironment(variables: Variables = process.env): Environment {
  return {
    configFile: filled(variables['GATEHOUSE_CONFIG']),
    functionsFolder: filled(variables['GATEHOUSE_FUNCTIONS']),
    kubeconfig: filled(variables['KUBECONFIG']),
    kubeconfigText: filled(variables['GATEHOUSE_KUBECONFIG']),
    inCluster: inCluster(variables),
    podName: filled(variables['POD_NAME']),
    podNamespace: filled(variables['POD_NAMESPACE']),
    port: port(variables['PORT']),
    colour: colour(variables),
    warnings: [...Object.keys(variables).filter(isUnknown).map(unknown), ...portWarning(variables)],
  };
}

function inCluster(variables: Variables): Environment['inCluster'] {
  const host = filled(variables['KUBERNETES_SERVICE_HOST']);
  if (host === undefined) return undefined;
  return { host, port: filled(variables['KUBERNETES_SERVICE_PORT']) ?? '443' };
}

/** The convention of no-color.org, and its opposite: set and not empty. */
function colour(variables: Variables): boolean | undefined {
  if (filled(variables['NO_COLOR']) !== undefined) return false;
  return filled(variables['FORCE_COLOR']) === undefined ? undefined : true;
}

function filled(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function port(value: string | undefined): number | undefined {
  const number = Number(value);
  return /^\d{1,5}$/.test(value ?? '') && number <= 65_535 ? number : undefined;
}

function portWarning({ PORT }: Variables): readonly string[] {
  if (filled(PORT) === undefined || port(PORT) !== undefined) return [];
  return [`PORT: expected a port, found ${JSON.stringify(PORT)}; it is ignored`];
}

/** Kubernetes puts variables into each pod for each Service, and one of ours may be called gatehouse-webhook. */
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)$/;

function isUnknown(name: string): boolean {
  return name.startsWith('GATEHOUSE_') && !ours.includes(name) && !serviceLink.test(name);
}

function unknown(name: string): string {
  const nearest = closest(name, ours);
  const hint = distance(name, nearest) <= 4 ? `; did you mean ${nearest}?` : '';
  return `${name} is not a variable that Gatehouse knows${hint}`;
}
