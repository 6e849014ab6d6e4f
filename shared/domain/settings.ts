import { certificateSettings } from './certificates/settings.ts';
import {
  anything,
  choice,
  type Decoded,
  type Decoder,
  decode,
  describe,
  dictionary,
  integerFrom,
  list,
  preset,
  refine,
  section,
  text,
} from './decode.ts';
import { forwarderSettings } from './forwarder.ts';
import { imageTrustSettings } from './image-trust/settings.ts';
import { nodeAffinitySettings } from './node-affinity/settings.ts';
import { podBootstrapSettings } from './pod-bootstrap/settings.ts';
import { workerSettings } from './worker.ts';

/** A fact that the operator may change: `render` and the loop read it from the same place. */
export type Configured<T> = { readonly setting: string; readonly fallback: T };

const port = integerFrom(0, 65_535);

const serverSettings = section(
  {
    address: preset(text, '0.0.0.0', 'The address that the server listens on.'),
    port: preset(port, 9443, 'HTTPS: admission and endpoints.'),
    probePort: preset(port, 8080, 'Plain HTTP: /healthz, /readyz, /metrics.'),
    minTls: preset(choice('1.2', '1.3'), '1.3', 'The oldest version of TLS that is spoken.'),
    maxBodyBytes: preset(integerFrom(1), 8 * 1024 * 1024, 'A larger review is answered with 413.'),
    timeoutSeconds: preset(
      integerFrom(1, 30),
      5,
      "Of every webhook entry, as rendered; all deadlines stay below it. Kubernetes' own default is 10.",
    ),
    drainSeconds: preset(
      integerFrom(0),
      10,
      'How long a stopping replica still serves, so that API servers learn of its end.',
    ),
  },
  'The admission server.',
);

/** It stands before each function's name, in keys that hold only so much; a character has at most four bytes. */
const clusterName = refine(
  text,
  (name) => name.length > 0 && name.length <= 100 && name.isWellFormed() && !name.includes('\0'),
  'a name of at most 100 characters',
);

/** A policy without a port lets out to all of them. */
const databasePorts = refine(
  list(integerFrom(1, 65_535)),
  (ports) => ports.length > 0,
  'at least one port',
);

/** The whole configuration file. */
export const settings = section({
  capabilities: preset(
    list(text),
    ['node-affinity'],
    "What is switched on. A user's own functions name a capability of their own.",
  ),
  installation: section(
    {
      namespace: preset(text, 'gatehouse-system', 'Where Gatehouse runs, and nothing else.'),
      service: preset(text, 'gatehouse-webhook', 'The Service before the admission servers.'),
      cluster: preset(clusterName, 'default', "Names this cluster in a fleet's database."),
      exemptNamespaces: preset(
        list(text),
        [],
        'Left out of every entry that fails closed, beside kube-system, kube-node-lease and our own; not of what guards one object by its name.',
      ),
    },
    'The place and the names of this installation.',
  ),
  log: section(
    {
      level: preset(choice('debug', 'info', 'warn', 'error'), 'info', 'The least that is logged.'),
    },
    'Logging, to standard error.',
  ),
  database: section(
    {
      connections: preset(
        integerFrom(3, 100),
        6,
        'Sessions of one process at most, beside four of its queue and one each for what it listens to.',
      ),
      ports: preset(
        databasePorts,
        [5432],
        'Those of its hosts, to which the rendered NetworkPolicies let out: DATABASE_URL is in a Secret that render does not read.',
      ),
    },
    'The Postgres that DATABASE_URL names.',
  ),
  server: serverSettings,
  forwarder: forwarderSettings,
  worker: workerSettings,
  certificates: certificateSettings,
  nodeAffinity: nodeAffinitySettings,
  podBootstrap: podBootstrapSettings,
  imageTrust: imageTrustSettings,
  custom: preset(dictionary(anything), {}, "Settings of a user's own functions, by function name."),
});

export type Settings = Decoded<typeof settings>;

/** What stands at the dotted path, or the stated default where nothing does that can be used. */
export function resolveConfigured<T>(
  { setting, fallback }: Configured<T>,
  settings: Settings,
  decoder: Decoder<T>,
): T {
  const found = valueAt(setting, settings);
  if (found === undefined) return fallback;
  // Below `custom` nobody else has judged it.
  const decoded = decode(decoder, found);
  return decoded.ok ? decoded.value : fallback;
}

/** Why what stands there is not used, and what is instead; `undefined` where it is, or nothing stands there. */
export function misfitOf<T>(
  { setting, fallback }: Configured<T>,
  settings: Settings,
  decoder: Decoder<T>,
): string | undefined {
  const found = valueAt(setting, settings);
  const decoded = found === undefined ? undefined : decode(decoder, found);
  if (decoded === undefined || decoded.ok) return undefined;
  const [{ path, ...problem }] = decoded.problems;
  const why = describe({ ...problem, path: `${setting}${path.slice(1)}` });
  return `${why}; ${JSON.stringify(fallback)} is used`;
}

export function valueAt(setting: string, settings: Settings): unknown {
  return setting
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? Reflect.get(value, key)
          : undefined,
      settings,
    );
}
