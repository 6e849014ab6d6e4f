import { parseBounded } from '../../bounded-json.ts';
import { anyObject, decode, optional, record, text } from '../../decode.ts';
import type { JsonObject } from '../../json.ts';
import type { Claim } from './claim.ts';
import { bounds } from './layout.ts';

const simpleSigning = record({
  critical: record({
    type: text,
    identity: record({ 'docker-reference': optional(text, '') }),
    image: record({ 'docker-manifest-digest': text }),
  }),
  optional: optional(anyObject, {}),
});

/** Other tools sign payloads of other types with the same key: those are no statements about an image. */
const cosignPayload = 'cosign container image signature';

/** Simple signing: the bytes of a layer, which are what was signed. */
export function readPayload(bytes: Uint8Array): Claim | undefined {
  const parsed = parseBounded(bytes, { ...bounds.json, maxBytes: bounds.payloadBytes });
  const read = decode(simpleSigning, parsed.kind === 'json' ? parsed.value : undefined);
  if (!read.ok || read.value.critical.type !== cosignPayload) return undefined;
  const { critical, optional: annotations } = read.value;
  const name = critical.identity['docker-reference'];
  return {
    digest: critical.image['docker-manifest-digest'],
    name: name === '' ? undefined : name,
    annotations: textsIn(annotations),
  };
}

/** What is no text equals none that is asked for. */
export function textsIn(stated: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries(stated).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as const] : [],
  );
  return Object.fromEntries(texts);
}
