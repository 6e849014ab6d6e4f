import type { Json, JsonObject } from '#shared/domain/json.ts';
import { inside, metadataOf, nameOf, text } from '../../access/stated.ts';
import type { Reading } from '../../parts.ts';
import { idOf } from '../../served-kinds.ts';
import { type Step, withSpec } from './step.ts';

type Classed = {
  readonly kind: string;
  readonly field: string;
  /** By which a class was named before there was the field. */
  readonly annotation: string;
  readonly classes: string;
  /** What a default class bears. */
  readonly marks: readonly string[];
};

const claims: Classed = {
  kind: 'persistentvolumeclaims',
  field: 'storageClassName',
  annotation: 'volume.beta.kubernetes.io/storage-class',
  classes: 'storageclasses.storage.k8s.io',
  marks: [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ],
};

const ingresses: Classed = {
  kind: 'ingresses.networking.k8s.io',
  field: 'ingressClassName',
  annotation: 'kubernetes.io/ingress.class',
  classes: 'ingressclasses.networking.k8s.io',
  marks: ['ingressclass.kubernetes.io/is-default-class'],
};

/** What names no class is of the default one. */
export const defaultStorageClass = defaulting(claims);
export const defaultIngressClass = defaulting(ingresses);

function defaulting(of: Classed): Step {
  return ({ kind, operation, subresource, object }, reading) => {
    if (idOf(kind) !== of.kind || operation !== 'CREATE' || subresource !== undefined) {
      return undefined;
    }
    if (object === undefined || classIn(object, of) !== undefined) return undefined;
    const name = defaultOf(of, reading);
    return name === undefined ? undefined : withSpec(object, { [of.field]: name });
  };
}

export function storageClassOf(claim: JsonObject): string {
  return text(classIn(claim, claims));
}

function classIn(object: JsonObject, { annotation, field }: Classed): Json | undefined {
  return annotationsOf(object)[annotation] ?? inside(object['spec'])[field];
}

/** Of several the newest. */
function defaultOf({ classes, marks }: Classed, reading: Reading): string | undefined {
  const [newest] = reading
    .list(classes)
    .filter((each) => marks.some((mark) => annotationsOf(each)[mark] === 'true'))
    .map((each) => ({ name: nameOf(each), at: text(metadataOf(each)['creationTimestamp']) }))
    .toSorted((one, other) => inOrder(other.at, one.at) || inOrder(one.name, other.name));
  return newest?.name;
}

function inOrder(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function annotationsOf(object: JsonObject): JsonObject {
  return inside(metadataOf(object)['annotations']);
}
