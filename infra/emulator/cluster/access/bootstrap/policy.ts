import type { JsonObject } from '#shared/domain/json.ts';
import { wholeObject } from './capture.ts';
import policy from './policy.golden.json' with { type: 'json' };

/** The roles and bindings that a new cluster of version 1.35 has from the start; a test keeps them equal to the real server's. */
export function bootstrapPolicy(): readonly JsonObject[] {
  return (policy as readonly JsonObject[]).map(wholeObject);
}
