import type { Json } from '#shared/domain/json.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';

/** What the API server has checked needs no second check: objects get these types where they are read, in the shelf. */
export type Meta = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
};

export type Labels = Readonly<Record<string, string>>;

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** Any object, as far as controllers look at all of them. */
export type Thing = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
};

export type Condition = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly lastUpdateTime?: string;
  readonly lastProbeTime?: string | null;
  readonly lastHeartbeatTime?: string;
  readonly observedGeneration?: number;
};

export type IntOrPercent = number | string;

export type Selector = LabelSelector;

/** Fields of no interest here travel along. */
export type Open = Readonly<Record<string, Json>>;

/** Where an object stands within its kind: `namespace/name`, or `/name`. */
export function placeOf({
  metadata,
}: {
  readonly metadata: Pick<Meta, 'name' | 'namespace'>;
}): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

export function controllerOf({ metadata }: Thing): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: Thing, owner: Thing): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

export function isLeaving({ metadata }: Thing): boolean {
  return metadata.deletionTimestamp !== undefined;
}
