import { anyObject, decode, flag, list, optional, record, text } from '../../decode.ts';
import type { KubeObject } from '../../kube-object.ts';
import { type BootPod, bootPod } from '../pod.ts';

/** Whoever makes the pod anew when it is gone. */
export type Owner = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
};

/** A pod as housekeeping looks at it. */
export type HousedPod = {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: Date;
  readonly owner: Owner | undefined;
  /** Which template it was made from, as its controller marks it. */
  readonly template: string;
  readonly phase: string;
  readonly isTerminating: boolean;
  readonly isReady: boolean;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly serviceAccount: string;
  readonly boot: BootPod;
};

const living = record({
  metadata: record({
    uid: text,
    name: text,
    namespace: text,
    creationTimestamp: text,
    deletionTimestamp: optional(text, ''),
    labels: optional(anyObject, {}),
    annotations: optional(anyObject, {}),
    ownerReferences: optional(
      list(
        record({
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: optional(flag, false),
        }),
      ),
      [],
    ),
  }),
  spec: record({ serviceAccountName: optional(text, '') }),
  status: optional(
    record({
      phase: optional(text, ''),
      conditions: optional(list(record({ type: text, status: text })), []),
    }),
    { phase: '', conditions: [] },
  ),
});

/** A pod that cannot be read is none: what nobody understands must not be evicted. */
export function housedPod(object: KubeObject | undefined): HousedPod | undefined {
  const [pod, boot] = [decode(living, object), decode(bootPod, object)];
  if (!pod.ok || !boot.ok) return undefined;

  const { metadata, spec, status } = pod.value;
  const controller = metadata.ownerReferences.find((each) => each.controller);
  return {
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace,
    createdAt: new Date(metadata.creationTimestamp),
    owner: controller,
    template: templateOf(metadata.labels),
    phase: status.phase,
    isTerminating: metadata.deletionTimestamp !== '',
    isReady: status.conditions.some((each) => each.type === 'Ready' && each.status === 'True'),
    annotations: metadata.annotations,
    serviceAccount: spec.serviceAccountName || 'default',
    boot: boot.value,
  };
}

/** Of Deployments; of StatefulSets and DaemonSets. */
export const templateLabels = ['pod-template-hash', 'controller-revision-hash'] as const;

function templateOf(labels: Readonly<Record<string, unknown>>): string {
  const found = templateLabels.map((key) => labels[key]).find((each) => typeof each === 'string');
  return typeof found === 'string' ? found : '';
}
