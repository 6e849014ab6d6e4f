import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';
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
  textOf,
  timed,
  withoutNoughts,
} from '../words/edit.ts';
import { inOrder, invalid } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import {
  child,
  type Errors,
  isStated,
  none,
  number,
  object,
  type Place,
  root,
  text,
} from '../words/place.ts';
import { checkedSelector, isEmptySelector, selects } from '../words/selector.ts';
import { checkedJobSpec } from './job-checks.ts';
import { checkedIndexedName } from './job-indexes.ts';
import { failurePolicy } from './job-policies.ts';
import { checkedJobStatus } from './job-status.ts';
import { checkedOwnSelector, unmatched } from './template.ts';

/** Where neither is stated, it is one run. */
const runs: Edit = (spec) =>
  spec['completions'] === undefined && spec['parallelism'] === undefined
    ? { ...spec, completions: 1, parallelism: 1 }
    : preset({ parallelism: 1 })(spec);

export const jobSpec: Edit = all(
  runs,
  (spec) =>
    preset({ backoffLimit: spec['backoffLimitPerIndex'] === undefined ? 6 : 2_147_483_647 })(spec),
  preset({ completionMode: 'NonIndexed' }),
  (spec) => ({ suspend: false, manualSelector: false, ...spec }),
  (spec) =>
    preset({
      podReplacementPolicy: isJsonObject(spec['podFailurePolicy'])
        ? 'Failed'
        : 'TerminatingOrFailed',
    })(spec),
  failurePolicy,
  ensured('template', podTemplate),
);

const labelled: Edit = (whole) => {
  const labels = metadataOf(partOf(specOf(whole), 'template'))['labels'];
  if (labels === undefined || 'labels' in metadataOf(whole)) return whole;
  return { ...whole, metadata: { ...metadataOf(whole), labels } };
};

export const job: KindRules = {
  defaults: all(
    ensured('spec', jobSpec),
    labelled,
    ensured(
      'status',
      all(
        withoutNoughts('active', 'succeeded', 'failed'),
        timed('lastProbeTime', 'lastTransitionTime'),
      ),
    ),
  ),
  status: {},
  created: selected,
  counts: ['spec'],
  checks: (at) => [...generatedSelector(at), ...checkedSelected(child(at, 'spec'))],
  checksOfNew: checkedIndexedName,
  readBack: labelled,
  changes: checkedChange,
  statusChanges: checkedJobStatus,
  warnings: (next, before) => [
    ...jobWarnings(child(root(next), 'spec')),
    ...makerWarnings(next, before),
  ],
};

/** So many indexes are more than a status has room for. */
export function jobWarnings(spec: Place): readonly string[] {
  const counts = ['completions', 'parallelism'].map((key) => number(child(spec, key)));
  const [completions = 0, parallelism = 0] = counts;
  const isIndexed = text(child(spec, 'completionMode')) === 'Indexed';
  if (!isIndexed || completions <= 100_000 || parallelism <= 10_000) return [];
  return [
    `${spec.path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}

const [uidLabel, nameLabel] = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
];

/** Its pods are told by the job's uid, which must be known by then. */
function selected(whole: JsonObject): JsonObject {
  const { uid, name } = metadataOf(whole);
  const spec = specOf(whole);
  if (spec['manualSelector'] === true || uid === undefined) return whole;
  const template = partOf(spec, 'template');
  const labels = {
    'controller-uid': uid,
    [uidLabel]: uid,
    'job-name': name ?? '',
    [nameLabel]: name ?? '',
    ...partOf(metadataOf(template), 'labels'),
  };
  const selector = partOf(spec, 'selector');
  const matchLabels = { [uidLabel]: uid, ...partOf(selector, 'matchLabels') };
  // Labels that the template lent are the same map there, and grow with it.
  const isLent = sameJson(metadataOf(whole)['labels'], metadataOf(template)['labels']);
  const lent = isLent && 'labels' in metadataOf(whole);
  const own = lent ? { ...whole, metadata: { ...metadataOf(whole), labels } } : whole;
  return put(own, 'spec', {
    ...spec,
    selector: { ...selector, matchLabels },
    template: { ...template, metadata: { ...metadataOf(template), labels } },
  });
}

function generatedSelector(at: Place): Errors {
  const spec = child(at, 'spec');
  if (child(spec, 'manualSelector').value === true) return none;
  const { uid = '', name = '' } = object(child(at, 'metadata'));
  const metadata = child(spec, 'template', 'metadata');
  const labels = object(child(metadata, 'labels'));
  const expected = { [uidLabel]: uid, [nameLabel]: name, 'controller-uid': uid, 'job-name': name };
  const selector = child(spec, 'selector');
  return [
    ...Object.keys(expected).flatMap((key) => hasLabel(metadata, key, { labels, expected })),
    ...(isStated(selector) && !isEmptySelector(selector) && !selects(selector.value, expected)
      ? [invalid(selector, '`selector` not auto-generated')]
      : none),
  ];
}

type Labels = { readonly labels: JsonObject; readonly expected: JsonObject };

function hasLabel(metadata: Place, key: string, { labels, expected }: Labels): Errors {
  const at = { path: `${metadata.path}.labels`, value: labels };
  if (labels[key] === undefined) {
    const message = `Required value: must be '${textOf(expected, key)}'`;
    return [{ field: `${at.path}[${key}]`, reason: 'FieldValueRequired', message }];
  }
  return labels[key] === expected[key]
    ? none
    : [
        invalid(
          { ...at, path: `${at.path}[${key}]` },
          `must be '${textOf(expected, key)}'`,
          inOrder(labels),
        ),
      ];
}

function checkedSelected(spec: Place): Errors {
  const selector = child(spec, 'selector');
  const labels = child(spec, 'template', 'metadata', 'labels');
  const own = checkedOwnSelector(spec, 'job').filter(
    ({ message }) => !message.includes('empty selector'),
  );
  return [
    ...checkedJobSpec(spec),
    ...own,
    ...(checkedSelector(selector).length === 0 && !selects(selector.value, object(labels))
      ? [unmatched(labels)]
      : none),
  ];
}

const fixed = [
  'selector',
  'template',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

/** A suspended job that never ran may still be told where its pods may go. */
function checkedChange(next: Place, before: JsonObject): Errors {
  const [spec, was] = [child(next, 'spec'), specOf(before)];
  const isIndexed = text(child(spec, 'completionMode')) === 'Indexed';
  const isWaiting = was['suspend'] === true && !('startTime' in partOf(before, 'status'));
  return [
    ...(isIndexed ? tandem(spec, was) : immutable(child(spec, 'completions'), was['completions'])),
    ...fixed
      .filter((key) => key !== 'template' || !isWaiting || isOtherPod(child(spec, key), was))
      .flatMap((key) => immutable(child(spec, key), was[key])),
  ];
}

const directives = ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates'] as const;

/** Whether more of the template is other than where its pods may go and what they are called. */
function isOtherPod({ value }: Place, was: JsonObject): boolean {
  const [next, before] = [specOf({ spec: value ?? {} }), partOf(was, 'template')].map((template) =>
    directives.reduce((soFar, key) => put(soFar, key, undefined), specOf(template)),
  );
  return !sameJson(next, before);
}

function tandem(spec: Place, was: JsonObject): Errors {
  const completions = child(spec, 'completions');
  const isSame = completions.value === was['completions'];
  if (isSame || number(completions) === number(child(spec, 'parallelism'))) return none;
  return [invalid(completions, 'can only be modified in tandem with spec.parallelism')];
}
