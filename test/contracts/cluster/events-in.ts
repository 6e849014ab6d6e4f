import { isJsonObject } from '#shared/domain/json.ts';
import { events } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
import type { Seen } from '../events.ts';

/** The Events in a cluster that regard the object of that uid. */
export async function eventsIn(cluster: Cluster, uid: string): Promise<readonly Seen[]> {
  const found: Seen[] = [];
  for await (const { regarding, reason, note, type, series } of cluster.list(events)) {
    if (!isJsonObject(regarding) || regarding['uid'] !== uid) continue;
    const count = isJsonObject(series) ? Number(series['count']) : 1;
    found.push({ reason: String(reason), note: String(note), type: String(type), count });
  }
  return found;
}
