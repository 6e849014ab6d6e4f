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
  /** A Postgres's URL. */
  readonly databaseUrl: string | undefined;
  /** `unknown` is a slip of the pen: another queue than the one that is meant would hold nothing. */
  readonly queue: 'postgres' | 'sqs' | 'unknown';
  /** What the names of the queues on SQS begin with: `gatehouse-<stage>`. Region, keys and endpoint are the SDK's own variables. */
  readonly sqsPrefix: string;
  /** The folder of the embedded Postgres. */
  readonly stateFolder: string;
  /** Where Knative wants to be answered. */
  readonly port: number | undefined;
  /** `undefined` leaves it to whether there is a terminal. */
  readonly colour: boolean | undefined;
  readonly warnings: readonly string[];
};

type Variables = Readonly<Record<string, string | undefined>>;

const ours = [
  'GATEHOUSE_CONFIG',
  'GATEHOUSE_FUNCTIONS',
  'GATEHOUSE_KUBECONFIG',
  'GATEHOUSE_SQS_PREFIX',
  'GATEHOUSE_STATE',
];

export function readEnvironment(variables: Variables = process.env): Environment {
  return {
    configFile: filled(variables['GATEHOUSE_CONFIG']),
    functionsFolder: filled(variables['GATEHOUSE_FUNCTIONS']),
    kubeconfig: filled(variables['KUBECONFIG']),
    kubeconfigText: filled(variables['GATEHOUSE_KUBECONFIG']),
    inCluster: inCluster(variables),
    podName: filled(variables['POD_NAME']),
    podNamespace: filled(variables['POD_NAMESPACE']),
    databaseUrl: filled(variables['DATABASE_URL']),
    queue: queue(variables['QUEUE']),
    // As `render --target lambda` names them, at its standard stage.
    sqsPrefix: filled(variables['GATEHOUSE_SQS_PREFIX']) ?? 'gatehouse-production',
    stateFolder: filled(variables['GATEHOUSE_STATE']) ?? '.gatehouse',
    port: port(variables['PORT']),
    colour: colour(variables),
    warnings: [
      ...Object.keys(variables).filter(isUnknown).map(unknown),
      ...portWarning(variables),
      ...queueWarning(variables),
    ],
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

function queue(value: string | undefined): Environment['queue'] {
  const named = filled(value) ?? 'postgres';
  return named === 'postgres' || named === 'sqs' ? named : 'unknown';
}

function queueWarning({ QUEUE }: Variables): readonly string[] {
  if (queue(QUEUE) !== 'unknown') return [];
  return [`QUEUE: expected postgres or sqs, found ${JSON.stringify(QUEUE)}`];
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
