import { isJsonObject, isList, type Json, type JsonObject, jsonIn } from '#shared/domain/json.ts';
import { newerMetric, notedBehavior, olderMetric, statedBehavior } from './autoscaler-notes.ts';
import type { Rules } from './parts.ts';
import { type Conversion, conversion } from './pipeline/conversion.ts';
import { metadataOf, withMetadata } from './pipeline/metadata.ts';
import type { ServedKind } from './served-kinds.ts';

/** Version v1 knows the use of the CPU alone; what else there is goes through it as a note. */
const notes = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

export function autoscalerConversion(kind: ServedKind): Conversion {
  return conversion({
    ...{ kind, version: 'v2' },
    out: (objects) => objects.map(older),
    back: (objects) => objects.map(newer),
  });
}

/** The rules speak of autoscalers in the words of the newer version. */
export function inOlderForm(rules: Rules): Rules {
  return {
    ...rules,
    defaulted: (object) => older(rules.defaulted(newer(object))),
    created: (object, at) => older(rules.created(newer(object), at)),
    updated: (next, before, at) => older(rules.updated(newer(next), newer(before), at)),
    checked: (next, before) => rules.checked(newer(next), before && newer(before)),
    warnings: (next) => rules.warnings(newer(next)),
  };
}

/** As a webhook of the other version is shown it. */
export function autoscalerIn(version: string, object: JsonObject): JsonObject {
  return version === 'v1' ? older(object) : newer(object);
}

function older(object: JsonObject): JsonObject {
  const { metrics, behavior, ...spec } = specOf(object);
  const { currentMetrics, conditions, ...status } = statusOf(object);
  const used = itemsOf(metrics)
    .map(utilization)
    .find((each) => each !== undefined);
  const others = itemsOf(metrics).filter((metric) => utilization(metric) === undefined);
  const own = used === undefined ? spec : { ...spec, targetCPUUtilizationPercentage: used };
  const stated = {
    ...noted(
      notes.metrics,
      others.map((each) => olderMetric('spec', each)),
    ),
    ...noted(
      notes.currentMetrics,
      itemsOf(currentMetrics).map((each) => olderMetric('status', each)),
    ),
    ...(isJsonObject(behavior) && { [notes.behavior]: JSON.stringify(notedBehavior(behavior)) }),
    ...noted(notes.conditions, itemsOf(conditions).map(inOrder)),
  };
  const current = itemsOf(currentMetrics)
    .map(currentUse)
    .findLast((each) => each !== undefined);
  const use = current === undefined ? {} : { currentCPUUtilizationPercentage: current };
  const left = { currentReplicas: 0, desiredReplicas: 0, ...status, ...use };
  return { ...annotated(object, stated), spec: own, status: left };
}

function noted(key: string, list: readonly Json[]): Readonly<Record<string, string>> {
  return list.length === 0 ? {} : { [key]: JSON.stringify(list) };
}

/** As Go writes a condition. */
function inOrder(condition: Json): Json {
  if (!isJsonObject(condition)) return condition;
  const { type = '', status = '', lastTransitionTime = null, reason, message } = condition;
  return {
    ...{ type, status, lastTransitionTime },
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

function newer(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: used, ...spec } = specOf(object);
  const {
    currentCPUUtilizationPercentage: current,
    currentReplicas: running = 0,
    ...status
  } = statusOf(object);
  const { annotations } = metadataOf(object);
  const stated = isJsonObject(annotations) ? annotations : {};
  const behavior = parsed(stated[notes.behavior]);
  const metrics = [
    ...itemsOf(parsed(stated[notes.metrics])).map((each) => newerMetric('spec', each)),
    ...(typeof used === 'number'
      ? [ofCpu('target', { type: 'Utilization', averageUtilization: used })]
      : []),
  ];
  const known = itemsOf(parsed(stated[notes.currentMetrics]));
  const measured = known.map((each) => newerMetric('status', each));
  const seen =
    typeof current === 'number' ? [ofCpu('current', { averageUtilization: current })] : [];
  const currentMetrics = measured.length > 0 ? measured : seen;
  const conditions = itemsOf(parsed(stated[notes.conditions]));
  const own = {
    ...spec,
    ...(metrics.length > 0 && { metrics }),
    ...(isJsonObject(behavior) && { behavior: statedBehavior(behavior) }),
  };
  const left = {
    ...status,
    ...(running !== 0 && { currentReplicas: running }),
    currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
    ...(conditions.length > 0 && { conditions }),
  };
  const hasStatus = object['status'] !== undefined;
  return { ...annotated(object, {}), spec: own, ...(hasStatus && { status: left }) };
}

function itemsOf(list: Json | undefined): readonly Json[] {
  return list !== undefined && isList(list) ? list : [];
}

function statusOf({ status }: JsonObject): JsonObject {
  return isJsonObject(status) ? status : {};
}

function specOf({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}

/** The notes are there only in the older version. */
function annotated(object: JsonObject, stated: JsonObject): JsonObject {
  const { annotations } = metadataOf(object);
  const known = Object.entries(isJsonObject(annotations) ? annotations : {});
  const keys: readonly string[] = Object.values(notes);
  const own = Object.fromEntries(known.filter(([key]) => !keys.includes(key)));
  const all = { ...own, ...stated };
  return withMetadata(object, {
    annotations: Object.keys(all).length === 0 ? undefined : all,
  });
}

function utilization(metric: Json): number | undefined {
  return ofCpuIn(metric, 'target');
}

function currentUse(metric: Json): number | undefined {
  return ofCpuIn(metric, 'current');
}

function ofCpuIn(metric: Json, key: 'target' | 'current'): number | undefined {
  if (!isJsonObject(metric) || !isJsonObject(metric['resource'])) return undefined;
  const { name, [key]: measure } = metric['resource'];
  if (name !== 'cpu' || !isJsonObject(measure)) return undefined;
  const { averageUtilization: percent } = measure;
  return typeof percent === 'number' ? percent : undefined;
}

function ofCpu(key: 'target' | 'current', measure: JsonObject): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', [key]: measure } };
}

/** Whoever writes such a note himself may have written anything. */
function parsed(note: Json | undefined): Json | undefined {
  return typeof note === 'string' ? jsonIn(note) : undefined;
}
