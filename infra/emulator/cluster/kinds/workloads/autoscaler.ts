import type { JsonObject } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { all, type Edit, ensured, inside, preset, put, when } from '../words/edit.ts';
import { forbidden, invalid, oneOf, required } from '../words/errors.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  itemsAt,
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
    ...(number(least) === 0 ? checkedToZero(child(spec, 'metrics')) : none),
    ...['scaleUp', 'scaleDown'].flatMap((key) => checkedScaling(child(spec, 'behavior', key))),
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
    : [...checkedSource(source, key), ...checkedAim(child(source, 'target'), key)];
}

function checkedSource(source: Place, key: string): Errors {
  if (!isOfResource(key)) return none;
  const [name, container] = [child(source, 'name'), child(source, 'container')];
  return [
    ...(isEmpty(name) ? [required(name, 'must specify a resource name')] : none),
    ...(key === 'containerResource' && isEmpty(container)
      ? [required(container, 'must specify a container')]
      : none),
  ];
}

function isOfResource(key: string): boolean {
  return key.toLowerCase().endsWith('resource');
}

/** The kubelet's measures end with the last pod. */
function checkedToZero(metrics: Place): Errors {
  const types = itemsAt(metrics).map((at) => text(child(at, 'type')));
  const why =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return types.includes('Object') || types.includes('External') ? none : [forbidden(metrics, why)];
}

const aims = ['Utilization', 'Value', 'AverageValue'];

/** What a metric is held to; only of resources a share can be told. */
function checkedAim(target: Place, key: string): Errors {
  const type = child(target, 'type');
  const wrong = aims.includes(text(type))
    ? none
    : [invalid(type, 'must be either Utilization, Value, or AverageValue', text(type))];
  const [value, average, utilization] = [
    child(target, 'value'),
    child(target, 'averageValue'),
    child(target, 'averageUtilization'),
  ];
  return [
    ...wrong,
    ...[value, average]
      .filter((at) => isStated(at) && !isPositive(at))
      .map((at) => invalid(at, 'must be positive')),
    ...(isStated(utilization) && number(utilization) < 1
      ? [invalid(utilization, 'must be greater than 0')]
      : none),
    ...checkedChoice({ value, average, utilization }, key),
  ];
}

function isPositive({ value }: Place): boolean {
  return /[1-9]/.test(String(value)) && !String(value).startsWith('-');
}

type Aim = { readonly value: Place; readonly average: Place; readonly utilization: Place };

const unstated: Readonly<Record<string, string>> = {
  object: 'must set either a target value or averageValue',
  external: 'must set either a target value for metric or a per-pod target',
  pods: 'must specify a positive target averageValue',
};

/** One measure, and not two of them. */
function checkedChoice(aim: Aim, key: string): Errors {
  return isOfResource(key) ? checkedShare(aim) : checkedMeasure(aim, key);
}

function checkedShare({ average, utilization }: Aim): Errors {
  if (isStated(utilization) && isStated(average)) {
    return [forbidden(average, 'may not set both a target raw value and a target utilization')];
  }
  return isStated(utilization) || isStated(average)
    ? none
    : [required(utilization, 'must set either a target raw value or a target utilization')];
}

function checkedMeasure({ value, average }: Aim, key: string): Errors {
  const isRaw = key !== 'pods' && isStated(value);
  if (!isStated(average)) return isRaw ? none : [required(average, unstated[key])];
  return key === 'external' && isRaw
    ? [forbidden(value, 'may not set both a target value for metric and a per-pod target')]
    : none;
}

const [longestWindow, longestPeriod] = [3_600, 1_800];

function checkedScaling(rules: Place): Errors {
  if (!isStated(rules)) return none;
  const [window, select, policies] = [
    child(rules, 'stabilizationWindowSeconds'),
    child(rules, 'selectPolicy'),
    child(rules, 'policies'),
  ];
  return [
    ...(number(window) < 0 ? [invalid(window, 'must be greater than or equal to zero')] : none),
    ...atMost(window, longestWindow),
    ...(isStated(select) ? oneOf(select, ['Disabled', 'Max', 'Min']) : none),
    ...(isEmpty(policies) ? [required(policies, 'must specify at least one Policy')] : none),
    ...itemsAt(policies).flatMap(checkedPolicy),
  ];
}

function checkedPolicy(at: Place): Errors {
  const [value, period] = [child(at, 'value'), child(at, 'periodSeconds')];
  return [
    ...oneOf(child(at, 'type'), ['Percent', 'Pods']),
    ...[value, period]
      .filter((each) => number(each) <= 0)
      .map((each) => invalid(each, 'must be greater than zero', number(each))),
    ...atMost(period, longestPeriod),
  ];
}

function atMost(at: Place, most: number): Errors {
  return number(at) > most ? [invalid(at, `must be less than or equal to ${most}`)] : none;
}
