import { parseBounded } from '../../bounded-json.ts';
import { anyObject, choice, decode, list, optional, record, text } from '../../decode.ts';
import type { Claim } from './claim.ts';
import { bounds, signedPredicate } from './layout.ts';
import { textsIn } from './payload.ts';

/**
 * An SBOM or a provenance of the image lies beside it in the same form, signed by the same person, and does not say that
 * the image may run.
 */
const statement = record({
  _type: choice('https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1'),
  predicateType: choice(signedPredicate),
  subject: list(
    record({
      name: optional(text, ''),
      digest: record({ sha256: text }),
      annotations: optional(anyObject, {}),
    }),
  ),
});

export const statementType = 'application/vnd.in-toto+json';

/** One claim for each subject of an in-toto statement, the payload of a bundle's envelope. */
export function readStatement(bytes: Uint8Array): readonly Claim[] {
  const parsed = parseBounded(bytes, { ...bounds.json, maxBytes: bounds.bundleBytes });
  const read = decode(statement, parsed.kind === 'json' ? parsed.value : undefined);
  if (!read.ok) return [];
  return read.value.subject.map(({ name, digest, annotations }) => ({
    digest: `sha256:${digest.sha256}`,
    name: unnamed.includes(name) ? undefined : name,
    annotations: textsIn(annotations),
  }));
}

/** in-toto's own word for a subject that has no name. */
const unnamed: readonly string[] = ['', '_'];
