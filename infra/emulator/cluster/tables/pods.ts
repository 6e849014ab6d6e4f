import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import {
  ageColumn,
  at,
  listAt,
  nameColumn,
  numberAt,
  since,
  stated,
  text,
  textAt,
} from './cells.ts';
import type { Columns } from './table.ts';

export const podColumns: Columns = [
  nameColumn,
  text('Ready', ready),
  text('Status', reasonOf),
  text('Restarts', restarts),
  ageColumn,
  text(
    'IP',
    (pod) => stated(textAt(listAt(pod, 'status.podIPs')[0], 'ip') || textAt(pod, 'status.podIP')),
    1,
  ),
  text('Node', (pod) => stated(textAt(pod, 'spec.nodeName')), 1),
  text('Nominated Node', (pod) => stated(textAt(pod, 'status.nominatedNodeName')), 1),
  text('Readiness Gates', gates, 1),
];

const statuses = (pod: JsonObject) => listAt(pod, 'status.containerStatuses');
const initStatuses = (pod: JsonObject) => listAt(pod, 'status.initContainerStatuses');

/** Sidecars are init containers that stay. */
function sidecars(pod: JsonObject): ReadonlySet<string> {
  const staying = listAt(pod, 'spec.initContainers').filter(
    (each) => each['restartPolicy'] === 'Always',
  );
  return new Set(staying.map(({ name }) => String(name)));
}

function ready(pod: JsonObject): string {
  const staying = sidecars(pod);
  const isReady = (status: JsonObject) => status['ready'] === true;
  const running = statuses(pod).filter(
    (each) => isReady(each) && isJsonObject(at(each, 'state.running')),
  );
  const aside = initStatuses(pod).filter(
    (each) => staying.has(String(each['name'])) && each['started'] === true && isReady(each),
  );
  return `${running.length + aside.length}/${listAt(pod, 'spec.containers').length + staying.size}`;
}

/** What is the matter with it, as far as one word can say. */
function reasonOf(pod: JsonObject): string {
  const first = initReason(pod) ?? containerReason(pod) ?? plainReason(pod);
  const isGoing = textAt(pod, 'metadata.deletionTimestamp') !== '';
  if (!isGoing) return first;
  if (textAt(pod, 'status.reason') === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase')) ? first : 'Terminating';
}

function plainReason(pod: JsonObject): string {
  return textAt(pod, 'status.reason') || gated(pod) || textAt(pod, 'status.phase');
}

function gated(pod: JsonObject): string {
  const scheduled = listAt(pod, 'status.conditions').find(({ type }) => type === 'PodScheduled');
  return scheduled?.['reason'] === 'SchedulingGated' ? 'SchedulingGated' : '';
}

function initReason(pod: JsonObject): string | undefined {
  const all = initStatuses(pod);
  const staying = sidecars(pod);
  const waits = all.findIndex((each) => {
    const isDone =
      at(each, 'state.terminated') !== undefined &&
      numberAt(each, 'state.terminated.exitCode') === 0;
    return !isDone && !(staying.has(String(each['name'])) && each['started'] === true);
  });
  const found = all[waits];
  if (found === undefined) return undefined;
  if (at(found, 'state.terminated') !== undefined) return `Init:${endOf(found)}`;
  const why = textAt(found, 'state.waiting.reason');
  if (why !== '' && why !== 'PodInitializing') return `Init:${why}`;
  return `Init:${waits}/${listAt(pod, 'spec.initContainers').length}`;
}

function endOf(status: JsonObject): string {
  const reason = textAt(status, 'state.terminated.reason');
  if (reason !== '') return reason;
  const signal = numberAt(status, 'state.terminated.signal');
  return signal === 0
    ? `ExitCode:${numberAt(status, 'state.terminated.exitCode')}`
    : `Signal:${signal}`;
}

function containerReason(pod: JsonObject): string | undefined {
  const all = statuses(pod);
  const [bad] = all.filter((each) => textAt(each, 'state.waiting.reason') !== '');
  if (bad !== undefined) return textAt(bad, 'state.waiting.reason');
  const [ended] = all.filter((each) => at(each, 'state.terminated') !== undefined);
  if (ended === undefined) return undefined;
  const isRunning = all.some(
    (each) => each['ready'] === true && at(each, 'state.running') !== undefined,
  );
  if (endOf(ended) !== 'Completed' || !isRunning) return endOf(ended);
  const isReady = listAt(pod, 'status.conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
  return isReady ? 'Running' : 'NotReady';
}

function restarts(pod: JsonObject, now: Date): string {
  const staying = sidecars(pod);
  const all = [
    ...statuses(pod),
    ...initStatuses(pod).filter((each) => staying.has(String(each['name']))),
  ];
  const total = all.reduce((sum, each) => sum + numberAt(each, 'restartCount'), 0);
  const last =
    all
      .map((each) => textAt(each, 'lastState.terminated.finishedAt'))
      .toSorted()
      .at(-1) ?? '';
  return total > 0 && last !== '' ? `${total} (${since(last, now)} ago)` : String(total);
}

function gates(pod: JsonObject): string {
  const stated = listAt(pod, 'spec.readinessGates').map(({ conditionType }) => conditionType);
  if (stated.length === 0) return '<none>';
  const met = stated.filter((wanted) =>
    listAt(pod, 'status.conditions').some(
      ({ type, status }) => type === wanted && status === 'True',
    ),
  );
  return `${met.length}/${stated.length}`;
}
