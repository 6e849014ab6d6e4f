import type { KindRules } from '../kind-rules.ts';
import { podTemplate } from '../pods/pod-defaults.ts';
import { makerWarnings } from '../pods/pod-warnings.ts';
import {
  all,
  type Edit,
  ensured,
  metadataOf,
  partOf,
  preset,
  put,
  specOf,
  timed,
  withoutNoughts,
} from '../words/edit.ts';
import { invalid, required } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child, type Errors, isEmpty, none, object, type Place } from '../words/place.ts';
import { checkedReplicas, scale } from './scale.ts';
import { partsOfReplicas } from './status-checks.ts';
import {
  checkedCounts,
  checkedEternal,
  checkedOwnSelector,
  checkedOwnTemplate,
  checkedTemplate,
} from './template.ts';

const counted = all(preset({ replicas: 1 }), ensured('template', podTemplate));

const parts = partsOfReplicas(
  ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  'readyReplicas',
);

const status = all(
  preset({ replicas: 0 }),
  withoutNoughts('availableReplicas'),
  timed('lastTransitionTime'),
);

export const replicaSet: KindRules = {
  defaults: all(ensured('spec', counted), ensured('status', status)),
  status: { replicas: 0 },
  counts: ['spec'],
  checks: (at) => checkedSet(child(at, 'spec')),
  statusChecks: parts,
  changes: (next, before) => immutable(child(next, 'spec', 'selector'), specOf(before)['selector']),
  warnings: makerWarnings,
  subresources: { scale: scale(({ selector }) => selector) },
};

function checkedSet(spec: Place): Errors {
  return [
    ...checkedReplicas(spec),
    ...checkedCounts(spec, ['minReadySeconds']),
    ...checkedOwnSelector(spec, 'deployment'),
    ...checkedOwnTemplate(spec, 'ReplicaSet'),
  ];
}

/** The older kind takes its selector and labels from the template. */
const fromTemplate: Edit = (whole) => {
  const labels = metadataOf(partOf(specOf(whole), 'template'))['labels'];
  if (labels === undefined) return whole;
  const spec = preset({ selector: labels })(specOf(whole));
  const metadata = preset({ labels })(metadataOf(whole));
  return put({ ...whole, metadata }, 'spec', spec);
};

export const replicationController: KindRules = {
  defaults: all(ensured('spec', counted), fromTemplate, ensured('status', status)),
  status: { replicas: 0 },
  counts: ['spec'],
  statusChecks: parts,
  checks: (at) => checkedController(child(at, 'spec')),
  warnings: makerWarnings,
  subresources: { scale: scale(({ selector }) => ({ matchLabels: selector ?? {} })) },
};

function checkedController(spec: Place): Errors {
  const [selector, template] = [child(spec, 'selector'), child(spec, 'template')];
  const labels = child(template, 'metadata', 'labels');
  const wanted = Object.entries(object(selector));
  const isMatch = wanted.every(([key, value]) => object(labels)[key] === value);
  return [
    ...checkedCounts(spec, ['minReadySeconds']),
    ...(isEmpty(selector) ? [required(selector)] : none),
    ...checkedReplicas(spec),
    ...(isMatch
      ? none
      : [invalid(labels, '`selector` does not match template `labels`', labels.value ?? null)]),
    ...checkedTemplate(template),
    ...checkedEternal(template, 'ReplicationController'),
  ];
}
