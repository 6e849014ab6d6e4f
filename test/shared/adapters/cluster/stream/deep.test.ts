import { describe, expect, it } from 'vitest';
import { forever, heard, maps, saying, streamFrom, watching } from './streaming-server.ts';

/** As deep as an API server takes it: what can be made of it is for others to say. */
const levels = 10_000;
const nested = `${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`;
const metadata = '{"name":"a","namespace":"b","uid":"c","resourceVersion":"1"}';
const object = `{"metadata":${metadata},"reason":${nested},"message":1,"details":${nested}}`;

function depthOf(value: unknown): number {
  let depth = 0;
  for (let at = value; Array.isArray(at); [at] = at) depth += 1;
  return depth;
}

describe('an object of 10,000 levels', () => {
  it('is read from a line', async () => {
    const { stream } = await streamFrom(saying(`{"type":"ADDED","object":${object}}\n`));
    const { lines } = await heard(await watching(stream));
    expect(lines).toHaveLength(1);
    const [line] = lines;
    expect(line?.kind === 'change' && depthOf(line.object['details'])).toBe(levels - 1);
  });

  it('is read from a page', async () => {
    const { stream } = await streamFrom(
      saying(`{"kind":"ConfigMapList","metadata":{"resourceVersion":"9"},"items":[${object}]}`),
    );
    const page = await stream.list(maps, { limit: 1, signal: forever });
    expect(page.kind === 'page' && page.objects.map(({ details }) => depthOf(details))).toEqual([
      levels - 1,
    ]);
  });

  it('is read by itself', async () => {
    const { stream } = await streamFrom(saying(object));
    const found = await stream.find(maps, { namespace: 'b', name: 'a' }, forever);
    expect(found.kind === 'found' && depthOf(found.object['details'])).toBe(levels - 1);
  });
});
