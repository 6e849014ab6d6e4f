import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { type Conversion, conversion } from './pipeline/conversion.ts';
import { metadataOf, withMetadata } from './pipeline/metadata.ts';
import type { ServedKind } from './served-kinds.ts';

/** Version v1 knows the use of the CPU alone; what else there is goes through it as a note. */
const notes = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;

export function autoscalerConversion(kind: ServedKind): Conversion {
  return conversion({
    ...{ kind, version: 'v2' },
    out: (objects) => objects.map(older),
    back: (objects) => objects.map(newer),
  });
}

function older(object: JsonObject): JsonObject {
  const { metrics, behavior, ...spec } = specOf(object);
  const all = metrics !== undefined && isList(metrics) ? metrics : [];
  const used = all.map(utilization).find((each) => each !== undefined);
  const others = all.filter((metric) => utilization(metric) === undefined);
  const stated = {
    ...(others.length > 0 && { [notes.metrics]: JSON.stringify(others) }),
    ...(behavior !== undefined && { [notes.behavior]: JSON.stringify(behavior) }),
  };
  const own = used === undefined ? spec : { ...spec, targetCPUUtilizationPercentage: used };
  return { ...annotated(object, stated), spec: own, status: olderStatus(object) };
}

function olderStatus({ status }: JsonObject): JsonObject {
  const { currentMetrics: _, conditions: __, ...rest } = isJsonObject(status) ? status : {};
  return { currentReplicas: 0, desiredReplicas: 0, ...rest };
}

function newer(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: used, ...spec } = specOf(object);
  const { annotations } = metadataOf(object);
  const noted = isJsonObject(annotations) ? annotations : {};
  const others = parsed(noted[notes.metrics]);
  const behavior = parsed(noted[notes.behavior]);
  const metrics = [
    ...(typeof used === 'number' ? [ofCpu(used)] : []),
    ...(others !== undefined && isList(others) ? others : []),
  ];
  const own = {
    ...spec,
    ...(metrics.length > 0 && { metrics }),
    ...(behavior !== undefined && { behavior }),
  };
  return { ...annotated(object, {}), spec: own };
}

function specOf({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}

/** The notes are there only in the older version. */
function annotated(object: JsonObject, stated: JsonObject): JsonObject {
  const { annotations } = metadataOf(object);
  const {
    [notes.metrics]: _,
    [notes.behavior]: __,
    ...own
  } = isJsonObject(annotations) ? annotations : {};
  const all = { ...own, ...stated };
  return withMetadata(object, {
    annotations: Object.keys(all).length === 0 ? undefined : all,
  });
}

function utilization(metric: Json): number | undefined {
  if (!isJsonObject(metric) || !isJsonObject(metric['resource'])) return undefined;
  const { name, target } = metric['resource'];
  if (name !== 'cpu' || !isJsonObject(target)) return undefined;
  const { averageUtilization: percent } = target;
  return typeof percent === 'number' ? percent : undefined;
}

function ofCpu(averageUtilization: number): JsonObject {
  const target = { type: 'Utilization', averageUtilization };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

/** Whoever writes such a note himself may have written anything. */
function parsed(note: Json | undefined): Json | undefined {
  if (typeof note !== 'string') return undefined;
  try {
    return JSON.parse(note) as Json;
  } catch {
    return undefined;
  }
}
