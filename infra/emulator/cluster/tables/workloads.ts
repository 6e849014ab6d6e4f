import type { JsonObject } from '#shared/domain/json.ts';
import {
  ageColumn,
  at,
  count,
  duration,
  labelsText,
  listAt,
  nameColumn,
  numberAt,
  selectorText,
  since,
  text,
  textAt,
} from './cells.ts';
import type { Column, Columns } from './table.ts';

function containers(path = 'spec.template.spec.containers'): Columns {
  const join = (key: string) => (object: JsonObject) =>
    listAt(object, path)
      .map((each) => String(each[key] ?? ''))
      .join(',');
  return [text('Containers', join('name'), 1), text('Images', join('image'), 1)];
}

const selector: Column = text('Selector', (object) => selectorText(at(object, 'spec.selector')), 1);

const number = (name: string, path: string) => count(name, (object) => numberAt(object, path));
/** The column says that it is a text, and what stands in it is a number. */
const numberText = (name: string, path: string) => text(name, (object) => numberAt(object, path));

function readyOf(object: JsonObject): string {
  return `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`;
}

export const workloads: Readonly<Record<string, Columns>> = {
  'scales.autoscaling': [
    text('Name', (object) => textAt(object, 'metadata.name')),
    number('Desired', 'spec.replicas'),
    number('Available', 'status.replicas'),
    ageColumn,
  ],
  'deployments.apps': [
    nameColumn,
    text('Ready', readyOf),
    numberText('Up-to-date', 'status.updatedReplicas'),
    numberText('Available', 'status.availableReplicas'),
    ageColumn,
    ...containers(),
    selector,
  ],
  'replicasets.apps': [
    nameColumn,
    number('Desired', 'spec.replicas'),
    number('Current', 'status.replicas'),
    number('Ready', 'status.readyReplicas'),
    ageColumn,
    ...containers(),
    selector,
  ],
  'statefulsets.apps': [nameColumn, text('Ready', readyOf), ageColumn, ...containers()],
  'daemonsets.apps': [
    nameColumn,
    number('Desired', 'status.desiredNumberScheduled'),
    number('Current', 'status.currentNumberScheduled'),
    number('Ready', 'status.numberReady'),
    number('Up-to-date', 'status.updatedNumberScheduled'),
    number('Available', 'status.numberAvailable'),
    text('Node Selector', (object) => labelsText(at(object, 'spec.template.spec.nodeSelector'))),
    ageColumn,
    ...containers(),
    selector,
  ],
  replicationcontrollers: [
    nameColumn,
    number('Desired', 'spec.replicas'),
    number('Current', 'status.replicas'),
    number('Ready', 'status.readyReplicas'),
    ageColumn,
    ...containers(),
    text('Selector', (object) => labelsText(at(object, 'spec.selector')), 1),
  ],
  podtemplates: [
    nameColumn,
    ...containers('template.spec.containers').map((column) => ({ ...column, priority: 0 })),
    text('Pod Labels', (object) => labelsText(at(object, 'template.metadata.labels'))),
  ],
  'controllerrevisions.apps': [
    nameColumn,
    text('Controller', controllerOf),
    numberText('Revision', 'revision'),
    ageColumn,
  ],
  'jobs.batch': [
    nameColumn,
    text('Status', jobStatus),
    text('Completions', completions),
    text('Duration', jobDuration),
    ageColumn,
    ...containers(),
    selector,
  ],
  'cronjobs.batch': [
    nameColumn,
    text('Schedule', (object) => textAt(object, 'spec.schedule')),
    text('Timezone', (object) => textAt(object, 'spec.timeZone') || '<none>'),
    { ...text('Suspend', (object) => suspended(object)), type: 'boolean' },
    count('Active', (object) => listAt(object, 'status.active').length),
    text('Last Schedule', lastSchedule),
    ageColumn,
    ...containers('spec.jobTemplate.spec.template.spec.containers'),
    text('Selector', (object) => selectorText(at(object, 'spec.jobTemplate.spec.selector')), 1),
  ],
};

function suspended(object: JsonObject): string {
  const stated = at(object, 'spec.suspend');
  if (typeof stated !== 'boolean') return '<unset>';
  return stated ? 'True' : 'False';
}

function lastSchedule(object: JsonObject, now: Date): string {
  const time = textAt(object, 'status.lastScheduleTime');
  return time === '' ? '<none>' : since(time, now);
}

function controllerOf(object: JsonObject): string {
  const owner = listAt(object, 'metadata.ownerReferences').find(
    ({ controller }) => controller === true,
  );
  if (owner === undefined) return '<none>';
  const [group = ''] = String(owner['apiVersion']).includes('/')
    ? String(owner['apiVersion']).split('/')
    : [];
  const kind = String(owner['kind']).toLowerCase();
  return `${group === '' ? kind : `${kind}.${group}`}/${String(owner['name'])}`;
}

function jobStatus(job: JsonObject): string {
  const is = (wanted: string) =>
    listAt(job, 'status.conditions').some(
      ({ type, status }) => type === wanted && status === 'True',
    );
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (textAt(job, 'metadata.deletionTimestamp') !== '') return 'Terminating';
  if (is('Suspended')) return 'Suspended';
  if (is('FailureTarget')) return 'FailureTarget';
  return is('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completions(job: JsonObject): string {
  const done = numberAt(job, 'status.succeeded');
  const wanted = at(job, 'spec.completions');
  if (typeof wanted === 'number') return `${done}/${wanted}`;
  const parallel = numberAt(job, 'spec.parallelism');
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function jobDuration(job: JsonObject, now: Date): string {
  const start = textAt(job, 'status.startTime');
  if (start === '') return '';
  const end = textAt(job, 'status.completionTime');
  const until = end === '' ? now.getTime() : Date.parse(end);
  return duration(Math.floor((until - Date.parse(start)) / 1_000));
}
