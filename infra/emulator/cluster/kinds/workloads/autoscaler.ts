import type { JsonObject } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { all, type Edit, ensured, inside, preset, put, when } from '../words/edit.ts';
import { invalid, oneOf, required } from '../words/errors.ts';
import {
  child,
  type Errors,
  isEmpty,
  items,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';

const usual: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

/** The older version states its one metric otherwise. */
const measured: Edit = when(
  (spec) => isNone(spec['metrics']) && spec['targetCPUUtilizationPercentage'] === undefined,
  (spec) => put(spec, 'metrics', [usual]),
);

function isNone(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}

const percent = { type: 'Percent', value: 100, periodSeconds: 15 };
const four = { type: 'Pods', value: 4, periodSeconds: 15 };

const behaving: Edit = all(
  ensured(
    'scaleUp',
    preset({ stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [four, percent] }),
  ),
  ensured('scaleDown', preset({ selectPolicy: 'Max', policies: [percent] })),
);

const unmeasured = { currentMetrics: null, desiredReplicas: 0 };

/** Nothing scales here: an autoscaler is kept, and its status is for whoever writes it. */
export const autoscaler: KindRules = {
  defaults: all(
    ensured('spec', all(preset({ minReplicas: 1 }), measured, inside('behavior', behaving))),
    ensured('status', preset({ desiredReplicas: 0 })),
  ),
  status: unmeasured,
  checks: (at) => checkedSpec(child(at, 'spec')),
};

function checkedSpec(spec: Place): Errors {
  const [least, most] = [child(spec, 'minReplicas'), child(spec, 'maxReplicas')];
  return [
    ...(number(least) < 1 ? [invalid(least, 'must be greater than or equal to 1')] : none),
    ...(number(most) < 1 ? [invalid(most, 'must be greater than 0', number(most))] : none),
    ...(number(most) < number(least)
      ? [invalid(most, 'must be greater than or equal to `minReplicas`', number(most))]
      : none),
    ...checkedTarget(child(spec, 'scaleTargetRef')),
    ...items(spec, 'metrics').flatMap(checkedMetric),
  ];
}

function checkedTarget(at: Place): Errors {
  const version = child(at, 'apiVersion');
  return [
    ...['kind', 'name'].flatMap((key) => checkedWord(child(at, key))),
    ...(text(version) === '' ? [invalid(version, 'apiVersion must specify API group', '')] : none),
  ];
}

function checkedWord(at: Place): Errors {
  if (isEmpty(at)) return [required(at)];
  return text(at).includes('/') ? [invalid(at, "may not contain '/'")] : none;
}

const sources: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

function checkedMetric(at: Place): Errors {
  const type = child(at, 'type');
  const key = sources[text(type)];
  if (key === undefined) return oneOf(type, Object.keys(sources));
  const source = child(at, key);
  return isEmpty(source)
    ? [required(source, 'must populate information for the given metric source')]
    : checkedAim(child(source, 'target'), key);
}

const aims = ['Utilization', 'Value', 'AverageValue'];

/** What a metric is held to; only of resources a share can be told. */
function checkedAim(target: Place, key: string): Errors {
  const type = child(target, 'type');
  const isStatedAs = (...keys: readonly string[]) =>
    keys.some((each) => !isEmpty(child(target, each)));
  const wrong = aims.includes(text(type))
    ? none
    : [invalid(type, 'must be either Utilization, Value, or AverageValue', text(type))];
  if (!key.toLowerCase().endsWith('resource')) return wrong;
  const utilization = child(target, 'averageUtilization');
  const why = 'must set either a target raw value or a target utilization';
  return [
    ...wrong,
    ...(isStatedAs('averageUtilization', 'averageValue') ? none : [required(utilization, why)]),
  ];
}
