import type { JsonObject } from '#shared/domain/json.ts';

/** What an action answers that has no object to show. */
export function success(code: number): JsonObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code };
}
