import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import { badRequest, invalid, type Refusal } from '../refusal.ts';
import type { Write } from './write.ts';

const strict = /strict decoding error: .*$/s;

/** What a patch has made is shown whole. */
export function unfitPatch(read: Refusal, object: JsonObject): Refusal {
  const [why] =
    strict.exec(typeof read.body === 'string' ? '' : String(read.body['message'])) ?? [];
  if (why === undefined) return read;
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(object))}: ${why}`;
  return invalid({ kind: '', group: '', name: '' }, [
    { field: 'patch', reason: 'FieldValueInvalid', message },
  ]);
}

/** Another kind, or another version of it, than the path is of. */
export function mistyped(object: JsonObject, { of, version }: Write): Refusal | undefined {
  const { kind, group } = of.kind;
  const expected = apiVersion({ group, version });
  const stated = { kind: object['kind'] || kind, version: object['apiVersion'] || expected };
  if (stated.kind === kind && stated.version === expected) return undefined;
  if (
    of.kind.versions.some((other) => apiVersion({ group, version: other }) === stated.version) &&
    stated.kind === kind
  ) {
    return badRequest(
      `the API version in the data (${stated.version}) does not match the expected API version (${expected})`,
    );
  }
  const why =
    stated.version === expected
      ? `converting (${version}.${stated.kind}) to (${group.split('.')[0] || 'core'}.${kind}): unknown conversion`
      : `no kind "${stated.kind}" is registered for version "${stated.version}" in scheme "pkg/runtime/scheme.go:111"`;
  return badRequest(
    `${stated.kind} in version "${version}" cannot be handled as a ${kind}: ${why}`,
  );
}
