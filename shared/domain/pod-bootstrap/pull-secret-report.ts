import { secrets } from '../kind.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Trouble } from './pull-secret-plan.ts';
import { pullSecretType } from './pull-secret-replica.ts';

/** An Event on the Secret, for whoever looks at it. It says nothing of what is in it. */
export function troubleWith(about: KubeObject, what: Trouble) {
  return { regarding: regarding(about), type: 'Warning' as const, ...words[what] };
}

export function adoptionOf(replica: KubeObject) {
  return {
    regarding: regarding(replica),
    type: 'Normal' as const,
    reason: 'PullSecretAdopted',
    note: 'its credentials are kept like those of the platform from now on; what was in it is replaced',
  };
}

const words: Readonly<Record<Trouble, { readonly reason: string; readonly note: string }>> = {
  'no-credentials': {
    reason: 'PullSecretUnusable',
    note: `no pod can pull images with it: expected type ${pullSecretType}, with credentials; replicas stay as they are`,
  },
  'another-type': {
    reason: 'PullSecretInTheWay',
    note: `it has the name of the platform's pull secret, but not its type ${pullSecretType}: it is left alone, and pods here pull images without the platform's credentials`,
  },
  unchangeable: {
    reason: 'PullSecretInTheWay',
    note: "it has the name of the platform's pull secret and cannot be changed (immutable): it is left alone, and pods here pull images with its credentials",
  },
};

function regarding({ metadata }: KubeObject) {
  const { namespace, name = '', uid = '' } = metadata;
  return { kind: secrets, namespace, name, uid };
}
