import type { Json, JsonObject } from '#shared/domain/json.ts';
import { ageColumn, at, listAt, nameColumn, numberAt, text, textAt } from './cells.ts';
import type { Columns } from './table.ts';

export const autoscalerColumns: Columns = [
  nameColumn,
  text('Reference', (object) => {
    const [kind, name] = ['kind', 'name'].map((key) =>
      textAt(object, `spec.scaleTargetRef.${key}`),
    );
    return `${kind}/${name}`;
  }),
  text('Targets', targets),
  text('MinPods', (object) => textAt(object, 'spec.minReplicas') || '<unset>'),
  // The columns say that they are texts, and what stands in them is a number.
  text('MaxPods', (object) => numberAt(object, 'spec.maxReplicas')),
  text('Replicas', (object) => numberAt(object, 'status.currentReplicas')),
  ageColumn,
];

/** What is wanted, beside what is measured, of which there is nothing as long as nobody measures. */
function targets(object: JsonObject): string {
  const all = listAt(object, 'spec.metrics');
  if (all.length === 0) return '<none>';
  const measured = listAt(object, 'status.currentMetrics');
  const shown = all.slice(0, 2).map((metric, index) => shownOf(metric, measured[index]));
  return all.length > 2 ? `${shown.join(', ')} + ${all.length - 2} more...` : shown.join(', ');
}

const sources = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
} as const;

function shownOf(metric: JsonObject, measured: JsonObject | undefined): string {
  const type = textAt(metric, 'type');
  const source = Object.entries(sources).find(([name]) => name === type)?.[1];
  if (source === undefined) return '<unknown type>';
  const target = at(metric, `${source}.target`);
  const current = at(measured, `${source}.current`);
  const shown = ratio(target, current);
  if (source.toLowerCase().endsWith('resource')) return `${namedOf(metric, source)}${shown}`;
  const isShared = source !== 'pods' && textAt(target, 'averageValue') !== '';
  return isShared ? `${shown} (avg)` : shown;
}

function ratio(target: Json | undefined, current: Json | undefined): string {
  const key = ['averageValue', 'value'].find((each) => textAt(target, each) !== '');
  if (key !== undefined) return `${textAt(current, key) || '<unknown>'}/${textAt(target, key)}`;
  const used = textAt(current, 'averageUtilization');
  return `${used === '' ? '<unknown>' : `${used}%`}/${textAt(target, 'averageUtilization')}%`;
}

function namedOf(metric: JsonObject, source: string): string {
  return `${textAt(metric, `${source}.name`)}: `;
}
