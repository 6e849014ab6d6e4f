import {
  choice,
  type Decoded,
  flag,
  integer,
  list,
  preset,
  refine,
  section,
  text,
} from '../decode.ts';
import { isLabelKey, isLabelValue } from '../label.ts';
import { labelSelector } from '../selector.ts';

/** Kyma's Lifecycle Manager puts it on the namespaces of its modules. */
export const managedByKyma = {
  matchLabels: { 'operator.kyma-project.io/managed-by': 'kyma' },
};

/** What is no label the API server would refuse in a pod: the patch would deny what it should only improve. */
const poolName = refine(
  text,
  (pool) => pool !== '' && isLabelValue(pool),
  "a pool name, which is a label's value",
);

/** `presence: assumed` asks no cluster whether the pool has nodes: for tests, and where the pool is a given. */
export const nodeAffinitySettings = section(
  {
    pools: preset(
      refine(list(poolName), (pools) => pools.length > 0, 'at least one pool name'),
      ['cpu-worker-0'],
      'The worker pools that managed pods prefer.',
    ),
    labelKey: preset(
      refine(text, isLabelKey, "a label's key"),
      'worker.gardener.cloud/pool',
      "The nodes' label that names their pool.",
    ),
    weight: preset(
      refine(integer, (n) => n >= 1 && n <= 100, 'a weight from 1 to 100'),
      10,
      'Of the preferred term, from 1 to 100.',
    ),
    presence: preset(
      choice('follow', 'assumed'),
      'follow',
      'Whether the pool has nodes: followed, or assumed without asking a cluster.',
    ),
    namespaceSelector: preset(
      labelSelector,
      managedByKyma,
      'The namespaces whose pods are managed.',
    ),
    excludedNamespaces: preset(list(text), ['kube-system'], 'Left alone in every mode.'),
    optOutAnnotation: preset(
      text,
      '',
      'A pod that carries it with the value "true" is left alone; none by default.',
    ),
    fallbackAnnotation: preset(
      flag,
      false,
      "Upstream's mark on pods that were admitted while the pool had no node.",
    ),
  },
  'Node affinity: managed pods prefer a worker pool.',
);

export type NodeAffinitySettings = Decoded<typeof nodeAffinitySettings>;
