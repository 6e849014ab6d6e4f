import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cut, headBytes, splitter } from '#shared/adapters/cluster/stream/splitter.ts';

function cutsOf(chunks: readonly Buffer[], maxLineBytes = 1_000): readonly Cut[] {
  const lines = splitter(maxLineBytes);
  return chunks.flatMap((chunk) => {
    lines.push(chunk);
    return everyNext(lines.next);
  });
}

function everyNext(next: () => Cut | undefined): readonly Cut[] {
  const cuts: Cut[] = [];
  for (let cut = next(); cut !== undefined; cut = next()) cuts.push(cut);
  return cuts;
}

function textOf(cut: Cut): string {
  return cut.kind === 'line' ? cut.bytes.toString() : `${cut.bytes} bytes`;
}

function chunked(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const [size, ...rest] = sizes;
  if (bytes.length === 0) return [];
  if (size === undefined) return [bytes];
  return [bytes.subarray(0, size), ...chunked(bytes.subarray(size), rest)];
}

describe('splitter', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['one line in one chunk', ['a\n'], ['a']],
    ['several lines in a chunk', ['a\nb\nc\n'], ['a', 'b', 'c']],
    ['a line over several chunks', ['a', 'b', 'c\n'], ['abc']],
    ['an end that comes alone', ['a', '\n', 'b', '\n'], ['a', 'b']],
    ['a line that has not ended', ['a\nb'], ['a']],
    ['lines of nothing', ['\n\na\n'], ['', '', 'a']],
  ])('splits %s', (_, chunks, expected) => {
    expect(cutsOf(chunks.map((chunk) => Buffer.from(chunk))).map(textOf)).toEqual(expected);
  });

  it('gives the same lines, wherever chunks are cut', () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .map((text) => text.replace(/\n/g, ''));
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 50 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), sizes, (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        expect(cutsOf(chunked(bytes, cuts)).map(textOf)).toEqual(lines);
      }),
    );
  });

  it('passes over what is too long, and goes on with the next line', () => {
    const chunks = ['ok\n', 'x'.repeat(6), 'y'.repeat(6), 'z\nnext\n'].map((text) =>
      Buffer.from(text),
    );
    expect(cutsOf(chunks, 10).map(textOf)).toEqual(['ok', '13 bytes', 'next']);
  });

  it.each([10, 11])('takes lines of at most 10 bytes: %i', (length) => {
    const [cut] = cutsOf([Buffer.from(`${'x'.repeat(length)}\n`)], 10);
    expect(cut?.kind).toBe(length > 10 ? 'oversized' : 'line');
  });

  it('keeps the beginning of what is too long, wherever it was cut', () => {
    const line = Buffer.from(`{"name":"a"}${'x'.repeat(200_000)}\n`);
    for (const sizes of [[5, 5], [199_999], [1, 70_000]]) {
      const [cut] = cutsOf(chunked(line, sizes), 100_000);
      const head = cut?.kind === 'oversized' ? cut.head : Buffer.alloc(0);
      expect(head.subarray(0, 12).toString()).toBe('{"name":"a"}');
      expect(head.length).toBeLessThanOrEqual(headBytes);
    }
  });

  it('keeps no bytes but the first ones, next to each other', () => {
    const line = Buffer.concat([
      Buffer.alloc(headBytes, 'a'),
      Buffer.alloc(headBytes, 'b'),
      Buffer.from('c\n'),
    ]);
    for (const sizes of [[2 * headBytes], [headBytes + 5], [7, 2 * headBytes - 7]]) {
      const [cut] = cutsOf(chunked(line, sizes), 2 * headBytes);
      const head = cut?.kind === 'oversized' ? cut.head : Buffer.alloc(0);
      expect(head.equals(line.subarray(0, headBytes))).toBe(true);
    }
  });

  it('holds no more than a head while it passes over a line', () => {
    const lines = splitter(100_000);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 1_000; count += 1) {
      lines.push(Buffer.from(chunk));
      lines.next();
    }
    lines.push(Buffer.from('\n'));
    expect(lines.next()).toMatchObject({ kind: 'oversized', bytes: 64_000 * 1024 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 1024 * 1024);
  });

  it('joins a line of a million chunks of one byte without copying it a million times', () => {
    const lines = splitter(2_000_000);
    const byte = Buffer.from('x');
    for (let count = 0; count < 1_000_000; count += 1) {
      lines.push(byte);
      lines.next();
    }
    lines.push(Buffer.from('\n'));
    const cut = lines.next();
    expect(cut?.kind === 'line' && cut.bytes.length).toBe(1_000_000);
  });

  it('knows whether it is inside of a line', () => {
    const lines = splitter(10);
    const states = ['a', 'b\n', '\n', 'c'].map((text) => {
      lines.push(Buffer.from(text));
      everyNext(lines.next);
      return lines.isInside();
    });
    expect(states).toEqual([true, false, false, true]);
  });
});
