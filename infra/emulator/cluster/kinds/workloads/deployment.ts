import type { KindRules } from '../kind-rules.ts';
import { podTemplate } from '../pods/pod-defaults.ts';
import { makerWarnings } from '../pods/pod-warnings.ts';
import {
  all,
  type Edit,
  ensured,
  preset,
  specOf,
  textOf,
  timed,
  when,
  withoutNoughts,
} from '../words/edit.ts';
import { forbidden, invalid, required } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child, type Errors, isStated, none, number, type Place, text } from '../words/place.ts';
import { checkedReplicas, scale } from './scale.ts';
import { partsOfReplicas } from './status-checks.ts';
import {
  atMostAll,
  checkedCounts,
  checkedIntOrPercent,
  checkedOwnSelector,
  checkedOwnTemplate,
  isNought,
  strategyShown,
} from './template.ts';

const rolling: Edit = when(
  (strategy) => textOf(strategy, 'type') === 'RollingUpdate',
  ensured('rollingUpdate', preset({ maxUnavailable: '25%', maxSurge: '25%' })),
);

const status = all(
  withoutNoughts('replicas', 'availableReplicas'),
  timed('lastUpdateTime', 'lastTransitionTime'),
);

export const deployment: KindRules = {
  defaults: all(
    ensured('status', status),
    ensured(
      'spec',
      all(
        preset({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
        ensured('strategy', all(preset({ type: 'RollingUpdate' }), rolling)),
        ensured('template', podTemplate),
      ),
    ),
  ),
  status: {},
  counts: ['spec', 'metadata.annotations'],
  checks: (at) => checkedSpec(child(at, 'spec')),
  statusChecks: partsOfReplicas(
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    'readyReplicas',
  ),
  changes: (next, before) => immutable(child(next, 'spec', 'selector'), specOf(before)['selector']),
  warnings: makerWarnings,
  statusKeepsLabels: true,
  subresources: { scale: scale(({ selector }) => selector) },
};

function checkedSpec(spec: Place): Errors {
  return [
    ...checkedReplicas(spec),
    ...checkedOwnSelector(spec, 'deployment'),
    ...checkedOwnTemplate(spec, 'ReplicaSet'),
    ...checkedStrategy(child(spec, 'strategy')),
    ...checkedCounts(spec, ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...checkedDeadline(spec),
  ];
}

function checkedDeadline(spec: Place): Errors {
  const deadline = child(spec, 'progressDeadlineSeconds');
  return isStated(deadline) && number(deadline) <= number(child(spec, 'minReadySeconds'))
    ? [invalid(deadline, 'must be greater than minReadySeconds')]
    : none;
}

function checkedStrategy(at: Place): Errors {
  const update = child(at, 'rollingUpdate');
  switch (text(child(at, 'type'))) {
    case 'Recreate':
      return isStated(update)
        ? [forbidden(update, "may not be specified when strategy `type` is 'Recreate'")]
        : none;
    case 'RollingUpdate':
      return isStated(update)
        ? checkedRolling(update)
        : [required(update, 'this should be defaulted and never be nil')];
    default:
      return [unknownStrategy(at, ['Recreate', 'RollingUpdate'])];
  }
}

function checkedRolling(at: Place): Errors {
  const [unavailable, surge] = [child(at, 'maxUnavailable'), child(at, 'maxSurge')];
  return [
    ...checkedIntOrPercent(unavailable),
    ...checkedIntOrPercent(surge),
    ...(isNought(unavailable) && isNought(surge)
      ? [invalid(unavailable, 'may not be 0 when `maxSurge` is 0')]
      : none),
    ...atMostAll(unavailable),
  ];
}

export function unknownStrategy(at: Place, known: readonly string[]) {
  const supported = known.map((each) => JSON.stringify(each)).join(', ');
  const message = `Unsupported value: ${strategyShown(at)}: supported values: ${supported}`;
  return { field: at.path, reason: 'FieldValueNotSupported', message } as const;
}
