import { invalid, notSupported, oneOf, required, tooLong } from '../words/errors.ts';
import { child, type Errors, isStated, none, type Place, text } from '../words/place.ts';
import { checkedMode, limitless } from './job-indexes.ts';
import { checkedFailurePolicy, checkedSuccessPolicy } from './job-policies.ts';
import { checkedCounts, checkedTemplate } from './template.ts';

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

/** Of a job and of a cron job's template. */
export function checkedJobSpec(spec: Place): Errors {
  return [
    ...checkedCounts(spec, counts),
    ...limitless(spec),
    ...checkedManager(child(spec, 'managedBy')),
    ...checkedMode(spec),
    ...checkedFailurePolicy(spec),
    ...checkedSuccessPolicy(spec),
    ...checkedReplacement(spec),
    ...checkedTemplate(child(spec, 'template')),
    ...checkedRestart(spec),
  ];
}

/** `example.com/some-controller` */
function checkedManager(at: Place): Errors {
  if (!isStated(at)) return none;
  return [...checkedPrefixedPath(at), ...(text(at).length > 63 ? [tooLong(at, 63)] : none)];
}

function checkedReplacement(spec: Place): Errors {
  const policy = child(spec, 'podReplacementPolicy');
  if (!isStated(policy)) return none;
  const hasFailurePolicy = isStated(child(spec, 'podFailurePolicy'));
  return oneOf(policy, hasFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed']);
}

export function checkedPrefixedPath(at: Place): Errors {
  const why = 'must be a domain-prefixed path (such as "acme.io/foo")';
  return /^[^/]+\/.+$/.test(text(at)) ? none : [invalid(at, why, text(at))];
}

/** A pod that starts anew for ever never completes. */
function checkedRestart(spec: Place): Errors {
  const policy = child(spec, 'template', 'spec', 'restartPolicy');
  if (['Always', ''].includes(text(policy))) {
    return [required(policy, 'valid values: "OnFailure", "Never"')];
  }
  if (!['OnFailure', 'Never'].includes(text(policy))) {
    return [notSupported(policy, ['OnFailure', 'Never'])];
  }
  return isStated(child(spec, 'podFailurePolicy')) && text(policy) !== 'Never'
    ? [invalid(policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : none;
}
