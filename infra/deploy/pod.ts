import { manager } from '#shared/domain/installation.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { configFile, configMapName } from './configuration.ts';
import { podsOf } from './manifest.ts';
import type { Plan } from './plan.ts';

/** Of the distroless images' `nonroot`. */
const user = 65_532;
const configFolder = '/etc/gatehouse/config';

export type Process = {
  readonly component: string;
  readonly args: readonly string[];
  readonly env?: readonly JsonObject[];
  /** What it needs to end, where that is more than a server needs. */
  readonly graceSeconds?: number;
  /** Where the usual one is not enough. */
  readonly youngHeap?: string;
  /** Beside the flag that all have. */
  readonly nodeFlags?: readonly string[];
  readonly ports?: readonly JsonObject[];
  readonly volumes?: readonly Volume[];
};

/** A volume and where it stands in the container. */
export type Volume = { readonly name: string; readonly path: string; readonly source: JsonObject };

/** A pod that the restricted profile takes, however little the namespace asks for. */
export function podTemplate(process: Process, plan: Plan): JsonObject {
  const { component } = process;
  const { server } = plan.settings;
  return {
    metadata: {
      // A mesh's proxy would stand between the API server and our TLS.
      labels: { ...podsOf(component), 'sidecar.istio.io/inject': 'false' },
    },
    spec: {
      serviceAccountName: `gatehouse-${component}`,
      automountServiceAccountToken: true,
      enableServiceLinks: false,
      priorityClassName,
      // Serving on while draining, then the longest review that may still be in flight, then some.
      terminationGracePeriodSeconds:
        Math.max(server.drainSeconds + server.timeoutSeconds, process.graceSeconds ?? 0) + 15,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
        fsGroup: user,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      affinity: apartFrom(component),
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: podsOf(component) },
        },
      ],
      containers: [container(process, plan)],
      volumes: volumesOf(process).map(({ name, source }) => ({ name, ...source })),
    },
  };
}

/** Benchmarks run with the same. */
export const youngHeap = 'max-semi-space-size=2';

/**
 * Reviews and answers of large pods make a tenth of a mebibyte and more: with 2 they outlive two collections as often as
 * not, lie dead among what is old, and what collects that holds up reviews for 30 ms. With 16 a review of 30 KB takes
 * two thirds of the time, and less memory.
 */
export const youngHeapOfLargePods = 'max-semi-space-size=16';

export function youngHeapFor(capabilities: readonly string[]): string {
  const areRead = capabilities.some((each) => each === 'image-trust' || each === 'pod-bootstrap');
  return areRead ? youngHeapOfLargePods : youngHeap;
}

/**
 * Of the forwarder: what lives there is some 25 MiB, and without a bound V8 lets 60 MiB of rubbish lie before it looks. With
 * 2 MiB of young heap, what one transaction holds outlives two collections too often.
 */
export const forwarderHeap = { young: 'max-semi-space-size=4', old: 'max-old-space-size=52' };

/** Of the worker: what a claim brings lives until it is settled, and outlives two collections of 2 MiB; with 8 it holds less. */
export const workerHeap = 'max-semi-space-size=8';

/** glibc keeps a store of freed memory for each thread: one store is 7 MiB less. */
export const oneArena = { name: 'MALLOC_ARENA_MAX', value: '1' };

/**
 * Of the threads that do what would wait, libuv lets half look up names: four, of which what namespaces name has two at most
 * (`lookup-line.ts`); the others are the database's and the API server's. Eight are 150 KiB more than four.
 */
const namesAtOnce = { name: 'UV_THREADPOOL_SIZE', value: '8' };

export const priorityClassName = 'gatehouse-priority';

export const hardened: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
};

/** No limit on the processor: a throttled webhook holds up every pod of the cluster. */
const resources: JsonObject = {
  requests: { cpu: '50m', memory: '128Mi' },
  limits: { memory: '256Mi' },
};

function container(process: Process, { image, settings }: Plan): JsonObject {
  return {
    name: manager,
    image,
    imagePullPolicy: 'IfNotPresent',
    args: process.args,
    env: [
      { name: 'GATEHOUSE_CONFIG', value: `${configFolder}/${configFile}` },
      // The heap's young part at an eighth of its default: 100 MiB less under load, and no slower.
      {
        name: 'NODE_OPTIONS',
        value: [process.youngHeap ?? youngHeap, ...(process.nodeFlags ?? [])].map(flag).join(' '),
      },
      namesAtOnce,
      fromPod('POD_NAME', 'metadata.name'),
      fromPod('POD_NAMESPACE', 'metadata.namespace'),
      ...(process.env ?? []),
    ],
    ports: [...(process.ports ?? []), { name: 'http', containerPort: settings.server.probePort }],
    livenessProbe: probe('/healthz', 10),
    readinessProbe: probe('/readyz', 5),
    resources,
    securityContext: hardened,
    volumeMounts: volumesOf(process).map(({ name, path }) => ({
      name,
      mountPath: path,
      ...(name === scratch.name ? {} : { readOnly: true }),
    })),
  };
}

function flag(name: string): string {
  return `--${name}`;
}

function fromPod(name: string, fieldPath: string): JsonObject {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

function probe(path: string, periodSeconds: number): JsonObject {
  return { httpGet: { path, port: 'http' }, periodSeconds, timeoutSeconds: 3 };
}

const scratch: Volume = { name: 'tmp', path: '/tmp', source: { emptyDir: { sizeLimit: '64Mi' } } };

function volumesOf({ volumes = [] }: Process): readonly Volume[] {
  return [configVolume, scratch, ...volumes];
}

/** A folder, never a `subPath`: that one would never see a change. */
export const configVolume: Volume = {
  name: 'config',
  path: configFolder,
  source: { configMap: { name: configMapName } },
};

function apartFrom(component: string): Json {
  return {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: {
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchLabels: podsOf(component) },
          },
        },
      ],
    },
  };
}
