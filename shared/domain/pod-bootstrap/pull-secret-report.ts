import type { Condition } from '../condition.ts';
import { secrets } from '../kind.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Facts, Trouble } from './pull-secret-plan.ts';
import { isCopy, pullSecretType, sourceCredentials } from './pull-secret-replica.ts';

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
  'a-copy': {
    reason: 'PullSecretUnusable',
    note: 'the settings name it as the source, but Gatehouse itself has copied it from another place, and nobody has written other credentials since; replicas stay as they are. To make it the source, delete it and create it anew',
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

/** What operators watch: whether there is a source where the settings say. */
export function sourceCondition(facts: Pick<Facts, 'source' | 'wish' | 'rules'>): Condition {
  const [holds, why] = said(facts);
  return { name: 'pull-secret', holds, why };
}

function said({ source, wish, rules }: Parameters<typeof sourceCondition>[0]): [boolean, string] {
  const where = `${rules.namespace}/${rules.name}`;
  if (wish === 'unavailable') return [true, 'none is copied: the feature is not available'];
  if (source === undefined) {
    return [
      false,
      `there is no Secret ${where} to be copied; replicas of one in another namespace stay while that one is there`,
    ];
  }
  if (sourceCredentials(source) !== undefined) return [true, `the Secret ${where} is copied`];
  const what = isCopy(source)
    ? 'is a copy of its own, of another place (to make it the source, delete it and create it anew)'
    : `has no credentials of type ${pullSecretType}: no pod can pull images with it`;
  return [false, `the Secret ${where} ${what}; replicas stay as they are`];
}

function regarding({ metadata }: KubeObject) {
  const { namespace, name = '', uid = '' } = metadata;
  return { kind: secrets, namespace, name, uid };
}
