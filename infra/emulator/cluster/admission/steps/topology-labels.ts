import type { JsonObject } from '#shared/domain/json.ts';
import { inside, labelsOf, metadataOf, text } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import { isPod } from './step.ts';

const copied = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** A pod says where its node is, whether it is made or bound there. */
export function topologyLabels(what: Admitting, reading: Reading): JsonObject | undefined {
  const { object, operation } = what;
  if (object === undefined || operation !== 'CREATE') return undefined;
  const node = reading.find('nodes', { name: nodeOf(what, object) });
  const labels = Object.entries(labelsOf(node)).filter(([key]) => copied.includes(key));
  if (labels.length === 0) return undefined;
  const metadata = metadataOf(object);
  const all = { ...inside(metadata['labels']), ...Object.fromEntries(labels) };
  return { ...object, metadata: { ...metadata, labels: all } };
}

function nodeOf(what: Admitting, object: JsonObject): string {
  if (isPod(what)) return text(inside(object['spec'])['nodeName']);
  const { kind, name } = inside(object['target']);
  return isPod(what, 'binding') && kind === 'Node' ? text(name) : '';
}
