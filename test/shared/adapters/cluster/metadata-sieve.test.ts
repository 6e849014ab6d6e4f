import { expect, it } from 'vitest';
import { metadataSieve } from '#shared/adapters/cluster/metadata-sieve.ts';

/** In chunks of so many bytes. */
function sieved(text: string, size = text.length): string {
  const sieve = metadataSieve();
  const bytes = Buffer.from(text);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(sieve(bytes.subarray(at, at + size)));
  return Buffer.concat(parts).toString('utf8');
}

const metadata = { name: 'ä', labels: { 'items"': '}],{[' }, managedFields: [{ data: ['x', 1] }] };
const list = {
  kind: 'GateList',
  metadata: { resourceVersion: '9', continue: 'more', data: { items: [{ spec: 1 }] } },
  items: [
    {
      kind: 'Gate',
      spec: { metadata: { name: 'b' }, deep: [[{ metadata: 1 }], '",}\\'] },
      metadata,
    },
    { metadata, 'meta\\data': null, data: { x: 'metadata":{' }, status: -1.5 },
    { metadata, spec: {} },
  ],
};
const kept = {
  ...list,
  items: [
    { kind: 0, spec: 0, metadata },
    { metadata, 'meta\\data': 0, data: 0, status: 0 },
    { metadata, spec: 0 },
  ],
};

it.each([
  ['of a list in one piece', JSON.stringify(list), undefined],
  ['of a list in bytes', JSON.stringify(list), 1],
  ['of a list in odd pieces', JSON.stringify(list), 7],
  ['of a list with spaces and lines', JSON.stringify(list, undefined, 2), 5],
])('the metadata %s goes on, and of the items nothing else', (_, text, size) => {
  expect(JSON.parse(sieved(text, size))).toEqual(kept);
});

it.each([
  ['a refusal', { kind: 'Status', code: 406, details: { causes: [{ reason: 'Expired' }] } }],
  ['an object', { kind: 'Gate', metadata, spec: { items: [{ spec: 1 }] } }],
  ['a list without items', { kind: 'GateList', metadata: { resourceVersion: '9' }, items: null }],
])('%s goes on as it is', (_, body) => {
  expect(JSON.parse(sieved(JSON.stringify(body), 3))).toEqual(body);
});

it.each(['404 page not found\n', '<html>', '{"items":[{:,:,:', '"'])(
  'what is no list is no more than it was: %j',
  (text) => {
    expect(sieved(text).length).toBeLessThanOrEqual(2 * text.length);
  },
);
