import { isJsonObject } from '#shared/domain/json.ts';
import { parsePublished } from '../schemas/read-published.ts';
import type { ServedKind } from '../served-kinds.ts';
import { kindsIn } from './published.ts';

/** All that the real server of this version serves, in its order. */
export function publishedKinds(): readonly ServedKind[] {
  const { api, apis } = parsePublished('discovery.json');
  return [api, apis].flatMap((document) => (isJsonObject(document) ? kindsIn(document) : []));
}
