import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { asked, openWorld, saying, textIn } from '#test/support/registry/outside-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const textAt = (script: Script) => textIn(world, script);

describe('a hostile body', () => {
  it('without an end is cut off at the limit', async () => {
    const pieces = { sent: 0 };
    const answer = await textAt((_, response) => {
      const more = () => {
        pieces.sent++;
        if (!response.destroyed) response.write(Buffer.alloc(16_384), () => setImmediate(more));
      };
      more();
    });
    expect(answer).toMatchObject({ kind: 'refused', why: 'too-large' });
    expect(pieces.sent).toBeLessThan(1_000);
  });

  it('that says how large it is, is not begun', async () => {
    const answer = await textAt((_, response) => {
      response.writeHead(200, { 'content-length': '999999999' }).write('x');
    });
    expect(answer).toMatchObject({ kind: 'refused', why: 'too-large' });
  });

  it('of exactly the limit is taken', async () => {
    const { host } = await world.open('a.test', saying('x'.repeat(1_000)));
    const read = (maxBytes: number) => world.outside().read(asked(`http://${host}/`, { maxBytes }));
    expect(await read(1_000)).toMatchObject({ kind: 'answer' });
    expect(await read(999)).toMatchObject({ kind: 'refused', why: 'too-large' });
  });

  it('that comes drop by drop ends with the deadline', async () => {
    const { host } = await world.open('a.test', (_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const outside = world.outside({ deadlineMs: 200 });
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({
      kind: 'unavailable',
      why: 'too-slow',
    });
  });

  it('that is compressed is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const answer = await textAt((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    expect(answer).toMatchObject({ kind: 'refused', why: 'encoded' });
  });

  it('that ends before its length is no answer', async () => {
    const answer = await textAt((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    });
    expect(answer).toMatchObject({ kind: 'unavailable', why: 'broken-off' });
  });
});
