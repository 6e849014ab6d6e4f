import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

it('looks at none of the signatures where there are too many', () => {
  // Looked at one by one, 600,000 that are none took ten seconds and threw.
  const bytes = Buffer.from(`{"signed":{},"signatures":[${'{},'.repeat(600_000)}{}]}`);
  expect(openEnvelope('root', bytes, 1 << 24)).toMatchObject({ ok: false });
});

describe('more parts than any file has', () => {
  const head = '"version":1,"expires":"2031-01-01T00:00:00Z"';
  const many = (count: number, part: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => part(at)).join();
  const key = '{"keytype":"ecdsa","keyval":{"public":"eA=="}}';
  const role = (at: number) => `{"name":"targets/r${at}","keyids":[],"threshold":1}`;
  const opened = (signed: string) => {
    const bytes = Buffer.from(`{"signatures":[],"signed":${signed}}`);
    const read = openEnvelope('targets', bytes, 1 << 24);
    if (!read.ok) throw new Error('it is an envelope');
    return read.value;
  };

  // Whoever names a Notary of his own signs what it says: one by one, 200,000 wrong ones took seconds, or threw.
  it.each<[string, (count: number) => boolean]>([
    [
      'delegations',
      (count) =>
        readTargets(
          'targets',
          opened(`{"_type":"Targets",${head},"delegations":{"roles":[${many(count, role)}]}}`),
        ).ok,
    ],
    [
      'keys',
      (count) => {
        const keys = many(count, (at) => `"${at}":${key}`);
        const signed = `{"_type":"Targets",${head},"delegations":{"keys":{${keys}}}}`;
        return readTargets('targets', opened(signed)).ok;
      },
    ],
    [
      'files',
      (count) => {
        const meta = many(count, (at) => `"r${at}":{"length":1,"hashes":{"sha256":"eA=="}}`);
        return readListing('snapshot', opened(`{"_type":"Snapshot",${head},"meta":{${meta}}}`)).ok;
      },
    ],
  ])('are not looked at: %s', (_, isRead) => {
    expect([isRead(10_000), isRead(10_001)]).toEqual([true, false]);
  });

  it('do not throw, however wrong they are', () => {
    const roles = many(200_000, () => '{}');
    const wrong = opened(`{"_type":"Targets",${head},"delegations":{"roles":[${roles}]}}`);
    expect(readTargets('targets', wrong).ok).toBe(false);
  });
});
