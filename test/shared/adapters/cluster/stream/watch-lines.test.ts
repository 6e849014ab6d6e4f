import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { secrets } from '#shared/domain/kind.ts';
import type { Line } from '#shared/domain/watched.ts';
import {
  added,
  failing,
  heard,
  isBatch,
  namesIn,
  saying,
  streamFrom,
  watching,
} from './streaming-server.ts';

async function said(...pieces: readonly (string | Buffer)[]) {
  const { stream } = await streamFrom(saying(...pieces), { maxLineBytes: 10_000 });
  return heard(await watching(stream));
}

describe('when a watch reads', () => {
  const answering = async () => {
    const answer = Promise.withResolvers<ServerResponse>();
    const { stream } = await streamFrom((_, response) => {
      response.writeHead(200);
      answer.resolve(response);
      response.flushHeaders();
    });
    const watch = await watching(stream);
    return { watch, response: await answer.promise };
  };

  it('is when it is let, once a line is there, with all that has come by then', async () => {
    const { watch, response } = await answering();
    const sizes: number[] = [];
    const opened = Promise.withResolvers<void>();
    const next = watch.next((bytes) => {
      sizes.push(bytes);
      return opened.promise;
    });
    response.write('{"type":');
    await pause(20);
    expect(sizes).toEqual([]);

    response.write(`${added('a').slice('{"type":'.length)}\n`);
    await vi.waitFor(() => expect(sizes).toEqual([added('a').length]));
    response.write(`${added('b')}\n`);
    await pause(20);
    opened.resolve();
    expect(namesIn((await next) as readonly Line[])).toEqual(['a', 'b']);
    expect(sizes).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['a long line', added('big', { x: 'x'.repeat(150_000) })],
    ['many lines', Array.from({ length: 1_500 }, (_, at) => added(`n${at}`)).join('\n')],
  ])('knows that it is much: %s', async (_, text) => {
    const { watch, response } = await answering();
    response.write(`${text}\n`);
    await pause(50);
    let size = 0;
    await watch.next(async (bytes) => {
      size = bytes;
    });
    expect(size).toBeGreaterThan(128 * 1024);
  });

  it('is never where it ends, or is closed, before', async () => {
    const { watch, response } = await answering();
    const opened = Promise.withResolvers<void>();
    const next = watch.next(() => opened.promise);
    response.write(`${added('a')}\n`);
    await pause(20);
    watch.close();
    opened.resolve();
    expect(await next).toEqual({ kind: 'cut', why: 'closed by us' });
  });
});

describe('what a watch reads', () => {
  it('survives chunks that end inside of a letter', async () => {
    const line = Buffer.from(`${added('a', { text: 'Größe 漢字 🚪' })}\n`);
    const pieces = Array.from(line, (byte) => Buffer.of(byte));
    const { lines, end } = await said(...pieces);
    expect(lines).toMatchObject([
      { object: { data: { text: 'Größe 漢字 🚪' } }, bytes: line.length - 1 },
    ]);
    expect(end).toEqual({ kind: 'closed' });
  });

  it('survives chunks that end inside of \\r\\n', async () => {
    const { lines } = await said(`${added('a')}\r`, `\n${added('b')}\r`, '\n', '\r\n');
    expect(namesIn(lines)).toEqual(['a', 'b']);
  });

  it('keeps the order of lines that arrive together, and gives at most 500 at once', async () => {
    const text = (version: number) =>
      `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"${version}"}}}\n`;
    const versions = Array.from({ length: 1_500 }, (_, index) => index);
    const { stream } = await streamFrom(saying(versions.map(text).join('')));
    const watch = await watching(stream);
    const batches: (readonly Line[])[] = [];
    for (let next = await watch.next(); isBatch(next); next = await watch.next())
      batches.push(next);
    expect(batches.flat()).toMatchObject(
      versions.map((version) => ({ resourceVersion: String(version) })),
    );
    expect(Math.max(...batches.map(({ length }) => length))).toBe(500);
  });

  it('names what is too long to be read, and goes on behind it', async () => {
    const { lines } = await said(
      `${added('a')}\n${added('big', { x: 'x'.repeat(20_000) })}\n`,
      `${added('b')}\n`,
    );
    expect(namesIn(lines)).toEqual(['a', 'oversized', 'b']);
    expect(lines[1]).toMatchObject({ namespace: 'team-a', name: 'big', bytes: expect.any(Number) });
  });

  it('names it, too, behind the longest annotation that there may be', async () => {
    const many = Array.from({ length: 250_000 }, () => ({}));
    const metadata = { annotations: { x: '\u0001'.repeat(256 * 1024) }, name: 'big' };
    const big = JSON.stringify({ type: 'ADDED', object: { metadata, spec: many } });
    const { stream } = await streamFrom(saying(`${big}\n`), { maxParsedBytes: 12 * 1024 * 1024 });
    const { lines } = await heard(await watching(stream));
    expect(lines).toMatchObject([{ kind: 'oversized', name: 'big' }]);
  });

  it('names what would fill the heap by its parts, and goes on behind it', async () => {
    const many = Array.from({ length: 250_000 }, () => ({}));
    const pieces = [added('a'), added('big', { many }), added('b')].map((each) => `${each}\n`);
    const { stream } = await streamFrom(saying(...pieces), { maxParsedBytes: 12 * 1024 * 1024 });
    const { lines } = await heard(await watching(stream));
    expect(namesIn(lines)).toEqual(['a', 'oversized', 'b']);
    expect(lines[1]).toMatchObject({ namespace: 'team-a', name: 'big' });
  });

  it.each([
    ['no JSON', '{"type":"ADDED","object":{"secret":"hunter2"'],
    ['no event', '[1]'],
    ['an event without an object', '{"type":"ADDED"}'],
    ['an object without metadata', '{"type":"ADDED","object":{"secret":"hunter2"}}'],
    ['an event of a type that nobody knows', '{"type":"RENAMED","object":{"metadata":{}}}'],
    ['a bookmark without a version', '{"type":"BOOKMARK","object":{"metadata":{}}}'],
  ])('says of a line that is %s that it is garbled, without its text', async (_, line) => {
    const { lines } = await said(`${line}\n${added('b')}\n`);
    expect(namesIn(lines)).toEqual(['garbled', 'b']);
    expect(JSON.stringify(lines[0])).not.toContain('hunter2');
  });

  it('tells a bookmark from the end of a streaming list', async () => {
    const bookmark = (annotations: object) =>
      `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9', annotations } } })}\n`;
    const { lines } = await said(bookmark({}), bookmark({ 'k8s.io/initial-events-end': 'true' }));
    expect(lines).toEqual([
      { kind: 'bookmark', resourceVersion: '9', isInitialEnd: false },
      { kind: 'bookmark', resourceVersion: '9', isInitialEnd: true },
    ]);
  });
});

describe('an ERROR in a watch', () => {
  it.each([
    ['410', failing(410, 'Expired', 'too old resource version'), 'expired'],
    ['410 of older servers', failing(410, 'Gone'), 'expired'],
    ['429', failing(429, 'TooManyRequests'), 'busy'],
    ['500', failing(500, 'InternalError', 'etcd event received with PrevKv=nil'), 'busy'],
    ['403', failing(403, 'Forbidden'), 'forbidden'],
    ['504 for a version ahead', failing(504, 'Timeout', 'Too large resource version: 9'), 'ahead'],
    [
      'a streaming list that etcd cannot give',
      failing(500, '', 'RequestWatchProgress is disabled'),
      'unsupported',
    ],
    ['what is no Status', '{"type":"ERROR","object":{}}', 'busy'],
    ['a code that means nothing', failing(302), 'busy'],
  ])('ends it: %s', async (_, line, kind) => {
    const { lines, end } = await said(`${added('a')}\n${line}\n${added('never')}\n`);
    expect(namesIn(lines)).toEqual(['a']);
    expect(end.kind).toBe(kind);
  });

  it('is not repeated where it is about Secrets', async () => {
    const { stream } = await streamFrom(saying(`${failing(403, 'Forbidden', 'hunter2')}\n`));
    const { end } = await heard(await watching(stream, {}, { kind: secrets }));
    expect(end).toEqual({ kind: 'forbidden', why: 'Forbidden' });
  });

  it('kills nothing but the watch, where it has arrived with the end of the answer', async () => {
    const errors: unknown[] = [];
    const note = (error: unknown) => errors.push(error);
    process.on('uncaughtException', note);
    onTestFinished(() => void process.off('uncaughtException', note));
    const { stream } = await streamFrom(saying(`${failing(410, 'Expired')}\n`));
    const watch = await watching(stream);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await watch.next()).toMatchObject({ kind: 'expired' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(errors).toEqual([]);
  });

  it('stays the end, however often one asks', async () => {
    const { stream } = await streamFrom(saying(`${failing(410, 'Expired')}\n`));
    const watch = await watching(stream);
    expect(await watch.next()).toMatchObject({ kind: 'expired' });
    expect(await watch.next()).toMatchObject({ kind: 'expired' });
  });
});
