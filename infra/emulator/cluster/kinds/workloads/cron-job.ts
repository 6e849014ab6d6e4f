import type { KindRules } from '../kind-rules.ts';
import { makerWarnings } from '../pods/pod-warnings.ts';
import { all, ensured, preset } from '../words/edit.ts';
import { invalid, notSupported, oneOf, required } from '../words/errors.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  none,
  type Place,
  root,
  text,
} from '../words/place.ts';
import { scheduleComplaint } from './cron-schedule.ts';
import { jobSpec, jobWarnings } from './job.ts';
import { checkedJobSpec } from './job-checks.ts';
import { checkedCounts } from './template.ts';

export const cronJob: KindRules = {
  defaults: ensured(
    'spec',
    all(
      preset({ concurrencyPolicy: 'Allow' }),
      (spec) => ({ suspend: false, ...spec }),
      preset({ successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }),
      ensured('jobTemplate', all(ensured('metadata'), ensured('spec', templateSpec))),
    ),
  ),
  status: {},
  counts: ['spec'],
  checks: (at) => checkedSpec(child(at, 'spec')),
  checksOfNew: (at) => {
    const name = child(at, 'metadata', 'name');
    // The times of its jobs take eleven.
    return text(name).length > 52 ? [invalid(name, 'must be no more than 52 characters')] : none;
  },
  warnings: (next, before) => [
    ...jobWarnings(child(root(next), 'spec', 'jobTemplate', 'spec')),
    ...makerWarnings(next, before, ['spec', 'jobTemplate', 'spec', 'template']),
  ],
};

/** The defaults of a job are set when there is one; its pods' are set here. */
function templateSpec(spec: Parameters<typeof jobSpec>[0]) {
  const { template } = jobSpec(spec);
  return template === undefined ? spec : { ...spec, template };
}

function checkedSpec(spec: Place): Errors {
  const template = child(spec, 'jobTemplate');
  return [
    ...checkedSchedule(child(spec, 'schedule')),
    ...checkedCounts(spec, ['startingDeadlineSeconds']),
    ...checkedZone(child(spec, 'timeZone')),
    ...oneOf(child(spec, 'concurrencyPolicy'), ['Allow', 'Forbid', 'Replace']),
    ...checkedJobSpec(child(template, 'spec')).filter(
      ({ field }) => !field.endsWith('.completionMode'),
    ),
    ...generated(child(template, 'spec')),
    ...checkedCounts(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
  ];
}

function generated(spec: Place): Errors {
  const [selector, manual] = [child(spec, 'selector'), child(spec, 'manualSelector')];
  return [
    ...(isStated(selector) ? [invalid(selector, '`selector` will be auto-generated')] : none),
    ...(manual.value === true ? [notSupported(manual, ['nil', 'false'])] : none),
  ];
}

function checkedSchedule(at: Place): Errors {
  if (isEmpty(at)) return [required(at)];
  const complaint = scheduleComplaint(text(at));
  const zoned = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  return [
    ...(complaint === undefined ? none : [invalid(at, complaint)]),
    ...(text(at).includes('TZ') ? [invalid(at, zoned)] : none),
  ];
}

function checkedZone(at: Place): Errors {
  if (!isStated(at)) return none;
  const zone = text(at);
  if (zone === '') return [invalid(at, 'timeZone must be nil or non-empty string')];
  const explicit =
    'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  if (zone.toLowerCase() === 'local') return [invalid(at, explicit)];
  return isZone(zone) ? none : [invalid(at, `unknown time zone ${zone}`)];
}

function isZone(zone: string): boolean {
  return zone === 'UTC' || Intl.supportedValuesOf('timeZone').includes(zone) || isAlias(zone);
}

/** Names that the list of preferred ones leaves out. */
function isAlias(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch (cause: unknown) {
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}
