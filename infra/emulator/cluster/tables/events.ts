import type { JsonObject } from '#shared/domain/json.ts';
import { at, nameColumn, numberAt, since, text, textAt } from './cells.ts';
import type { Columns } from './table.ts';

/** In the words of either of its groups. */
export const eventColumns: Columns = [
  text('Last Seen', (object, now) => since(lastSeen(object), now)),
  text('Type', (object) => textAt(object, 'type')),
  text('Reason', (object) => textAt(object, 'reason')),
  text('Object', (object) => involved(object)),
  text('Subobject', (object) => textAt(object, 'involvedObject.fieldPath'), 1),
  text('Source', (object) => source(object), 1),
  text('Message', (object) => (textAt(object, 'message') || textAt(object, 'note')).trim()),
  text('First Seen', (object, now) => since(firstSeen(object), now), 1),
  text('Count', (object) => timesSeen(object), 1),
  { ...nameColumn, priority: 1 },
];

function lastSeen(object: JsonObject): string {
  return (
    textAt(object, 'series.lastObservedTime') ||
    textAt(object, 'lastTimestamp') ||
    textAt(object, 'deprecatedLastTimestamp') ||
    firstSeen(object)
  );
}

function firstSeen(object: JsonObject): string {
  return (
    textAt(object, 'firstTimestamp') ||
    textAt(object, 'deprecatedFirstTimestamp') ||
    textAt(object, 'eventTime') ||
    textAt(object, 'metadata.creationTimestamp')
  );
}

function timesSeen(object: JsonObject): number {
  const counts = ['series.count', 'count', 'deprecatedCount'];
  return counts.map((path) => numberAt(object, path)).find((each) => each > 0) ?? 1;
}

function involved(object: JsonObject): string {
  const about = at(object, 'involvedObject') ?? at(object, 'regarding');
  const kind = textAt(about, 'kind').toLowerCase();
  const name = textAt(about, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function textIn(object: JsonObject, paths: readonly string[]): string {
  return paths.map((path) => textAt(object, path)).find((each) => each !== '') ?? '';
}

function source(object: JsonObject): string {
  const parts = [
    textIn(object, [
      ...['source.component', 'deprecatedSource.component'],
      ...['reportingComponent', 'reportingController'],
    ]),
    textIn(object, ['source.host', 'deprecatedSource.host', 'reportingInstance']),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
