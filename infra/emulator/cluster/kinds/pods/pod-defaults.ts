import type { JsonObject } from '#shared/domain/json.ts';
import {
  all,
  type Edit,
  each,
  ensured,
  inside,
  itemsOf,
  preset,
  textOf,
  when,
} from '../words/edit.ts';
import { amounts } from '../words/quantity.ts';
import { container, hostPorts, requestedAsLimited } from './container-defaults.ts';
import { podResources } from './pod-resources.ts';
import { volume } from './volume-defaults.ts';

const containers = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** The old name of the account is kept in step with the new one. */
function accounts(spec: JsonObject): JsonObject {
  const name = textOf(spec, 'serviceAccountName') || textOf(spec, 'serviceAccount');
  return name === '' ? spec : { ...spec, serviceAccountName: name, serviceAccount: name };
}

/** Of a pod and of a pod's template. */
export const podSpec: Edit = all(
  preset({
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  }),
  ensured('securityContext'),
  accounts,
  each('volumes', volume),
  ...containers.map((key) => each(key, container)),
  amounts('overhead'),
);

export const podTemplate: Edit = all(ensured('metadata'), ensured('spec', podSpec));

const soon: Edit = (spec) => ({ ...spec, terminationGracePeriodSeconds: 1 });

/** Of a pod alone. */
const ownSpec: Edit = all(
  each('containers', requestedAsLimited),
  each('initContainers', requestedAsLimited),
  podResources,
  preset({ enableServiceLinks: true }),
  when(({ terminationGracePeriodSeconds: grace }) => Number(grace) < 0, soon),
  when(
    ({ hostNetwork }) => hostNetwork === true,
    all(each('containers', hostPorts), each('initContainers', hostPorts)),
  ),
);

/** Times that are not stated are written as null. */
const condition: Edit = (stated) => ({ lastProbeTime: null, lastTransitionTime: null, ...stated });

const states: Readonly<Record<string, readonly string[]>> = {
  running: ['startedAt'],
  terminated: ['startedAt', 'finishedAt'],
};

/** So are those of a container. */
const containerStatus: Edit = all(
  ...['state', 'lastState'].flatMap((state) =>
    Object.entries(states).map(([key, times]) =>
      inside(
        state,
        inside(key, (each) => ({
          ...Object.fromEntries(times.map((time) => [time, null])),
          ...each,
        })),
      ),
    ),
  ),
);

/** The first address is also one of a list. */
export function withAddresses(status: JsonObject): JsonObject {
  const ip = textOf(status, 'podIP');
  const [first] = itemsOf(status, 'podIPs');
  return ip === '' || first?.['ip'] === ip ? status : { ...status, podIPs: [{ ip }] };
}

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];

export const pod: Edit = all(
  inside('spec', all(podSpec, ownSpec)),
  ensured(
    'status',
    all(
      each('conditions', condition),
      ...statusLists.map((key) => each(key, containerStatus)),
      withAddresses,
    ),
  ),
);
