import { createHash } from 'node:crypto';
import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import type { GroupVersionKind } from '../parts.ts';
import { once, parsePublished } from './read-published.ts';

/** The aggregated discovery of the real server: `/api`, and `/apis` in the order in which it tells its groups. */
export const publishedDiscovery = once(() => {
  const { api, apis } = parsePublished('discovery.json');
  return { api: groupsIn(api), apis: groupsIn(apis) };
});

function groupsIn(list: unknown): readonly JsonObject[] {
  const items = isJsonObject(list) ? list['items'] : undefined;
  return isList(items) ? items.filter(isJsonObject) : [];
}

/** As plain discovery tells it of what is stored; aggregated discovery leaves it out. */
export function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}
