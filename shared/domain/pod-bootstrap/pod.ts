import { anyObject, type Decoded, list, optional, record, text } from '../decode.ts';
import { below } from '../json-pointer.ts';

const container = record({
  name: optional(text, ''),
  image: optional(text, ''),
  // As they are: a pod may have hundreds, and few are looked at.
  env: optional(list(anyObject), []),
  volumeMounts: optional(
    list(record({ name: optional(text, ''), mountPath: optional(text, '') })),
    [],
  ),
  // Raw disks: no file is mounted where one of them stands.
  volumeDevices: optional(list(record({ devicePath: optional(text, '') })), []),
});

const containers = optional(list(container), []);

/** Only what bootstrapping looks at. A list that is missing, null or empty is the same here: it is set as a whole. */
export const bootPod = record({
  metadata: record({
    annotations: optional(anyObject, {}),
    labels: optional(anyObject, {}),
  }),
  spec: record({
    initContainers: containers,
    containers,
    ephemeralContainers: containers,
    // Whole, since they are compared as a whole.
    volumes: optional(list(anyObject), []),
    imagePullSecrets: optional(list(record({ name: optional(text, '') })), []),
  }),
});

export type BootPod = Decoded<typeof bootPod>;
export type BootContainer = Decoded<typeof container>;

/** A container that starts with the pod, and where it stands. */
export type Started = BootContainer & {
  /** A pointer. */
  readonly place: string;
};

/** Sidecars among them: they are init containers that stay. */
export function startedContainers({ spec }: BootPod): readonly Started[] {
  return [
    ...spec.initContainers.map((each, index) => startedAt('/spec/initContainers', each, index)),
    ...spec.containers.map((each, index) => startedAt('/spec/containers', each, index)),
  ];
}

function startedAt(list: string, container: BootContainer, index: number): Started {
  const { name, image, env, volumeMounts, volumeDevices } = container;
  return { name, image, env, volumeMounts, volumeDevices, place: below(list, index) };
}

/** Of a static pod: the kubelet runs it from a file, and what the API server is told of it must stay as it is. */
export function isMirrorPod({ metadata }: BootPod): boolean {
  return Object.hasOwn(metadata.annotations, 'kubernetes.io/config.mirror');
}
