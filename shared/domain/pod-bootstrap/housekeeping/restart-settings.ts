import {
  choice,
  type Decoded,
  integerFrom,
  list,
  preset,
  refine,
  section,
  text,
} from '../../decode.ts';
import { isDuration } from '../../duration.ts';
import { ownerKinds } from './desired-pods.ts';

const duration = refine(text, isDuration, 'a duration such as 90s or 30m');

/** Why a pod is to be made anew. */
export const reasons = ['missed', 'staleBundle', 'staleConfiguration'] as const;

export type Reason = (typeof reasons)[number];

export const restartSettings = section(
  {
    mode: preset(
      choice('on', 'dryRun', 'paused'),
      'on',
      'on: pods are evicted. dryRun: what would be is measured. paused: nothing is looked at.',
    ),
    restartFor: preset(
      list(choice(...reasons)),
      ['missed', 'staleBundle'],
      'missed: made while the webhook was away. staleBundle: with an older trust bundle. staleConfiguration: by an older configuration.',
    ),
    perMinute: preset(integerFrom(1, 6_000), 60, 'Evictions, of the whole cluster together.'),
    jitterPercent: preset(integerFrom(0, 1_000), 20, 'By how much a pause between two may grow.'),
    everySeconds: preset(
      integerFrom(10, 7 * 24 * 3_600),
      600,
      'How often all pods are looked over, beside those that something happens to.',
    ),
    grace: preset(duration, '2m', 'How old a pod must be before it is restarted.'),
    reportOnly: preset(
      list(text),
      ['kube-system'],
      'Namespaces whose pods are counted and never evicted.',
    ),
    owners: preset(
      list(choice(...ownerKinds)),
      [...ownerKinds],
      'Whose pods are restarted: they make a pod anew when it is gone. Pods of all others are reported.',
    ),
    bundleSettle: preset(
      duration,
      '5s',
      'What kubelets and all of our caches may need to learn of another trust bundle.',
    ),
    configurationSettle: preset(
      duration,
      '2m',
      'What all replicas may need to learn of another configuration: of a file that is mounted, the kubelet’s next look at it.',
    ),
    breakerPause: preset(
      duration,
      '30m',
      'How long nothing of its namespace is evicted after a pod has come back as it was, and nothing at all after pods of two namespaces have.',
    ),
  },
  'Housekeeping: pods that lack something are evicted, so that they are made anew.',
);

export type RestartSettings = Decoded<typeof restartSettings>;
