import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { KnownKinds } from './known-kinds.ts';

/** One object: `ConfigMap team-a/settings`, `nodes/worker-1`, or the object itself. */
export type Ref =
  | string
  | {
      /** `Pod`, `pods` or `deployments.apps`. */
      readonly kind: string;
      readonly namespace?: string | undefined;
      readonly name: string;
    }
  | Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

export type Place = {
  readonly kind: Kind;
  readonly namespace?: string | undefined;
  readonly name: string;
};

const format =
  'write it as "ConfigMap team-a/settings", or "Node worker-1" for what has no namespace';

/** Throws where it names no object that could be there. */
export function placeOf(ref: Ref, kinds: KnownKinds): Place {
  if (typeof ref === 'string') return fromText(ref, kinds);
  if ('metadata' in ref) {
    const { namespace, name } = ref.metadata;
    if (name === undefined) throw new Error(`a ${ref.kind} without metadata.name names no object`);
    return { kind: kinds.of(ref), namespace, name };
  }
  return complete(kindNamed(ref.kind, kinds), ref);
}

export function kindNamed(name: string, kinds: KnownKinds): Kind {
  const kind = kinds.named(name);
  if (kind !== undefined) return kind;
  const known = kinds.all().map((each) => each.kind);
  throw new Error(
    `no kind is called ${name}; known are ${known.join(', ')}; a custom one is known once it is defined or applied`,
  );
}

function fromText(text: string, kinds: KnownKinds): Place {
  const [, kind = '', namespace, name = ''] =
    /^([A-Za-z][\w.]*)[ /](?:([^/\s]+)\/)?([^/\s]+)$/.exec(text.trim()) ?? [];
  if (name === '') throw new Error(`"${text}" names no object: ${format}`);
  return complete(kindNamed(kind, kinds), { namespace, name });
}

function complete(kind: Kind, { namespace, name }: Omit<Place, 'kind'>): Place {
  if (kind.namespaced && namespace === undefined) {
    throw new Error(`${kind.kind} ${name} lacks its namespace: ${format}`);
  }
  return kind.namespaced ? { kind, namespace, name } : { kind, name };
}

export function wordsFor({ kind, namespace, name }: Place): string {
  return `${kind.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
