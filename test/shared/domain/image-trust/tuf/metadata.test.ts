import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataBounds, parseBounded } from '#shared/domain/image-trust/tuf/bounded-json.ts';
import { openEnvelope } from '#shared/domain/image-trust/tuf/envelope.ts';
import { readListing, readRoot, readTargets } from '#shared/domain/image-trust/tuf/metadata.ts';
import { publish } from '#test/support/tuf/publish.ts';
import { delegate, goodDigest, plan, verified } from '#test/support/tuf/scene.ts';

const files = publish({
  ...plan,
  delegations: [
    { name: 'targets/releases', signers: [delegate], paths: [''], targets: { '2.0': goodDigest } },
  ],
});
const maxBytes = 1 << 16;

/** Reads bytes as every kind of metadata: each reader answers, and none throws. */
function readAsAll(bytes: Uint8Array): readonly boolean[] {
  const opened = openEnvelope('targets', bytes, maxBytes);
  if (!opened.ok) return [false];
  const envelope = opened.value;
  return [
    readRoot(envelope),
    readTargets('targets', envelope),
    readListing('snapshot', envelope),
    readListing('timestamp', envelope),
  ].map(({ ok }) => ok);
}

/** Some value of a document, replaced. */
const spoiled = fc
  .tuple(fc.constantFrom(...files.values()), fc.nat(), fc.jsonValue({ maxDepth: 3 }))
  .map(([bytes, at, junk]) => {
    const places: (() => void)[] = [];
    const document: unknown = JSON.parse(Buffer.from(bytes).toString());
    visit(document, (holder, key) => {
      places.push(() => {
        holder[key] = junk;
      });
    });
    places[at % places.length]?.();
    return Buffer.from(JSON.stringify(document));
  });

function visit(value: unknown, found: (holder: Record<string, unknown>, key: string) => void) {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    found(holder, key);
    visit(holder[key], found);
  }
}

describe('the decoders of metadata', () => {
  it('answer for whatever bytes come', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(readAsAll(bytes)).not.toContain(true);
      }),
      { seed: 61_004, numRuns: 500 },
    );
  });

  it('answer for metadata in which one value is another', () => {
    fc.assert(
      fc.property(spoiled, (bytes) => {
        expect(readAsAll(bytes).filter(Boolean).length).toBeLessThanOrEqual(1);
      }),
      { seed: 61_005, numRuns: 500 },
    );
  });

  it('never make a spoiled file a reason to trust another digest', () => {
    const names = [...files.keys()];
    fc.assert(
      fc.property(fc.constantFrom(...names), spoiled, (name, bytes) => {
        const { verdict } = verified({ files: new Map([...files, [name, bytes]]) });
        const honest =
          verdict.kind === 'untrusted' || ('digest' in verdict && verdict.digest === goodDigest);
        expect(honest).toBe(true);
      }),
      { seed: 61_006, numRuns: 300 },
    );
  });
});

describe('parseBounded', () => {
  const read = (text: string, bounds = {}) =>
    parseBounded(Buffer.from(text), { maxBytes, ...metadataBounds, ...bounds });

  it.each([
    ['depth', { maxDepth: 2 }, '[[0]]', '[[[0]]]'],
    ['marks', { maxMarks: 4 }, '[0,0,0,0]', '[0,0,0,0,0]'],
    ['bytes', { maxBytes: 5 }, '"abc"', '"abcd"'],
    ['depth, with brackets in a string', { maxDepth: 1 }, '["[[\\"[["]', '["[[",[]]'],
  ])('goes to the bound of %s and no further', (_, bounds, within, beyond) => {
    expect(read(within, bounds)).toMatchObject({ kind: 'json', value: JSON.parse(within) });
    expect(read(beyond, bounds)).toEqual({ kind: 'too-large' });
  });

  it('agrees with the parser on all that is small', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(read(text)).toEqual({ kind: 'json', value: JSON.parse(text), text });
      }),
      { seed: 61_007, numRuns: 300 },
    );
  });
});
