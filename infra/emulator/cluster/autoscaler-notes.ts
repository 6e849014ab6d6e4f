import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/** A field of the older version, in its order, and where the newer one has it. */
type Field = {
  readonly older: string;
  readonly newer: readonly string[];
  /** It is no pointer in Go: where nothing is stated, zero is. */
  readonly isStated?: boolean;
};

type Fields = Readonly<Record<string, readonly Field[]>>;

const name: Field = { older: 'name', newer: ['name'] };
const container: Field = { older: 'container', newer: ['container'] };
const metricName: Field = { older: 'metricName', newer: ['metric', 'name'] };
const selector: Field = { older: 'selector', newer: ['metric', 'selector'] };
const metricSelector: Field = { older: 'metricSelector', newer: ['metric', 'selector'] };
const described: Field = { older: 'target', newer: ['describedObject'] };

const resourceTarget: readonly Field[] = [
  { older: 'targetAverageUtilization', newer: ['target', 'averageUtilization'] },
  { older: 'targetAverageValue', newer: ['target', 'averageValue'] },
];

const specs: Fields = {
  object: [
    described,
    metricName,
    { older: 'targetValue', newer: ['target', 'value'], isStated: true },
    selector,
    { older: 'averageValue', newer: ['target', 'averageValue'] },
  ],
  pods: [
    metricName,
    { older: 'targetAverageValue', newer: ['target', 'averageValue'], isStated: true },
    selector,
  ],
  resource: [name, ...resourceTarget],
  containerResource: [name, ...resourceTarget, container],
  external: [
    metricName,
    metricSelector,
    { older: 'targetValue', newer: ['target', 'value'] },
    { older: 'targetAverageValue', newer: ['target', 'averageValue'] },
  ],
};

const resourceStatus: readonly Field[] = [
  { older: 'currentAverageUtilization', newer: ['current', 'averageUtilization'] },
  { older: 'currentAverageValue', newer: ['current', 'averageValue'], isStated: true },
];

const statuses: Fields = {
  object: [
    described,
    metricName,
    { older: 'currentValue', newer: ['current', 'value'], isStated: true },
    selector,
    { older: 'averageValue', newer: ['current', 'averageValue'] },
  ],
  pods: [
    metricName,
    { older: 'currentAverageValue', newer: ['current', 'averageValue'], isStated: true },
    selector,
  ],
  resource: [name, ...resourceStatus],
  containerResource: [name, ...resourceStatus, container],
  external: [
    metricName,
    metricSelector,
    { older: 'currentValue', newer: ['current', 'value'], isStated: true },
    { older: 'currentAverageValue', newer: ['current', 'averageValue'] },
  ],
};

export type Metrics = 'spec' | 'status';

function fieldsOf(of: Metrics): Fields {
  return of === 'spec' ? specs : statuses;
}

export function olderMetric(of: Metrics, metric: Json): Json {
  if (!isJsonObject(metric)) return metric;
  const sources = Object.entries(fieldsOf(of)).flatMap(([key, fields]) => {
    const source = metric[key];
    return isJsonObject(source) ? [[key, olderSource(fields, source)]] : [];
  });
  return { type: metric['type'] ?? '', ...Object.fromEntries(sources) };
}

function olderSource(fields: readonly Field[], source: JsonObject): JsonObject {
  const stated = fields.flatMap(({ older, newer, isStated }): [string, Json][] => {
    const value = valueAt(source, newer) ?? (isStated === true ? '0' : undefined);
    if (value === undefined) return [];
    return [[older, older === described.older ? referenceIn(value) : value]];
  });
  return Object.fromEntries(stated);
}

/** In the order of Go's fields. */
function referenceIn(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const { kind = '', name: named = '', ...rest } = value;
  return { kind, name: named, ...rest };
}

function valueAt(source: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    source,
  );
}

export function newerMetric(of: Metrics, noted: Json): Json {
  if (!isJsonObject(noted)) return noted;
  const sources = Object.entries(fieldsOf(of)).flatMap(([key, fields]) => {
    const source = noted[key];
    if (!isJsonObject(source)) return [];
    const newer = newerSource(fields, source);
    return [[key, of === 'spec' ? aimed(newer) : newer]];
  });
  return { type: noted['type'] ?? '', ...Object.fromEntries(sources) };
}

function newerSource(fields: readonly Field[], noted: JsonObject): JsonObject {
  const groups = Object.groupBy(fields, ({ newer: [outer = ''] }) => outer);
  return Object.fromEntries(
    Object.entries(groups).flatMap(([outer, members = []]): [string, Json][] => {
      const value = grouped(members, noted);
      return value === undefined ? [] : [[outer, value]];
    }),
  );
}

function grouped(members: readonly Field[], noted: JsonObject): Json | undefined {
  const inner = members.flatMap(({ older, newer: [, key] }): [string, Json][] => {
    const value = noted[older];
    return key === undefined || value === undefined ? [] : [[key, value]];
  });
  if (inner.length > 0) return Object.fromEntries(inner);
  const whole = members.find(({ newer }) => newer.length === 1);
  return whole === undefined ? undefined : noted[whole.older];
}

/** What the older version tells by the field that is there. */
function aimed(source: JsonObject): JsonObject {
  const target = isJsonObject(source['target']) ? source['target'] : {};
  return { ...source, target: { type: aimOf(source, target), ...target } };
}

function aimOf(source: JsonObject, target: JsonObject): string {
  if (target['averageUtilization'] !== undefined) return 'Utilization';
  const isOfObject = source['describedObject'] !== undefined;
  if (isOfObject) return target['averageValue'] === undefined ? 'Value' : 'AverageValue';
  return target['value'] === undefined ? 'AverageValue' : 'Value';
}

/** Of Go's internal type, whose fields have no other names. */
const rules = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance'] as const;
const policy = ['Type', 'Value', 'PeriodSeconds'] as const;

export function notedBehavior(behavior: JsonObject): Json {
  const [up, down] = [behavior['scaleUp'], behavior['scaleDown']];
  return { ScaleUp: notedRules(up), ScaleDown: notedRules(down) };
}

function notedRules(stated: Json | undefined): Json {
  if (!isJsonObject(stated)) return null;
  const noted = renamed(stated, rules);
  const policies = noted['Policies'];
  if (policies === undefined || !isList(policies)) return noted;
  return {
    ...noted,
    Policies: policies.map((each) => (isJsonObject(each) ? renamed(each, policy) : each)),
  };
}

function renamed(stated: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((each) => [each, stated[small(each)] ?? null]));
}

export function statedBehavior(noted: Json): Json {
  if (isList(noted)) return noted.map(statedBehavior);
  if (!isJsonObject(noted)) return noted;
  const known = Object.entries(noted).filter(([, value]) => value !== null);
  return Object.fromEntries(known.map(([key, value]) => [small(key), statedBehavior(value)]));
}

function small(key: string): string {
  return key.slice(0, 1).toLowerCase() + key.slice(1);
}
