import { describe, expect, it } from 'vitest';
import { answerReader } from '#test/bench/support/reader.ts';

const first = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone';
const last = 'HTTP/1.1 500 No\r\ncontent-length: 2\r\nConnection: close\r\n\r\nno';

function readAll(chunks: readonly string[]) {
  const answers: unknown[] = [];
  const read = answerReader((status, body, closes) => {
    answers.push([status, body.toString('utf8'), closes]);
  });
  for (const chunk of chunks) read(Buffer.from(chunk));
  return answers;
}

describe('the reader of answers', () => {
  it('reads one after another', () => {
    expect(readAll([first, last])).toEqual([
      [200, 'done', false],
      [500, 'no', true],
    ]);
  });

  it('reads the same wherever the bytes are cut', () => {
    for (let at = 1; at < first.length; at += 1) {
      expect(readAll([first.slice(0, at), first.slice(at)])).toEqual([[200, 'done', false]]);
    }
  });

  it('refuses what it would misread', () => {
    expect(() => readAll(['HTTP/1.1 200 OK\r\n\r\n'])).toThrow('without Content-Length');
    expect(() => readAll([`${first}more`])).toThrow('more bytes');
  });
});
