import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keeping, keptFiles } from '#shared/adapters/notary/kept-files.ts';

const bytes = (letter: string) => Buffer.from(letter.repeat(25));
const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('kept files', () => {
  it('let go of the one that was not asked for longest', () => {
    const files = keptFiles(100);
    for (const name of ['a', 'b', 'c', 'd']) files.keep(name, bytes(name));
    files.find('a');
    files.keep('e', bytes('e'));
    const left = ['a', 'b', 'c', 'd', 'e'].filter((name) => files.find(name) !== undefined);
    expect(left).toEqual(['a', 'c', 'd', 'e']);
  });

  it('have no place for one that would drive out all others', () => {
    const files = keptFiles(100);
    files.keep('a', bytes('a'));
    files.keep('large', Buffer.alloc(26));
    expect([files.find('a'), files.find('large')]).toEqual([bytes('a'), undefined]);
  });

  it('hold no file twice', () => {
    const files = keptFiles(100);
    for (const name of ['a', 'b', 'c', 'd', 'a', 'a', 'a']) files.keep(name, bytes(name));
    expect(files.find('b')).toEqual(bytes('b'));
  });

  it('keep nothing that a server only says is what it was asked for', async () => {
    const files = keptFiles(1_000);
    const sha256 = hash(bytes('a'));
    const ask = { role: 'targets', at: { kind: 'digest', sha256 }, maxBytes: 1_000 } as const;
    const lying = keeping(files, async () => ({ kind: 'file', bytes: bytes('b') }));
    const honest = keeping(files, async () => ({ kind: 'file', bytes: bytes('a') }));
    const away = keeping(files, async () => ({ kind: 'failed', why: 'unreachable' }));

    expect(await lying(ask)).toEqual({ kind: 'file', bytes: bytes('b') });
    expect(await away(ask)).toEqual({ kind: 'failed', why: 'unreachable' });
    expect(await honest(ask)).toEqual({ kind: 'file', bytes: bytes('a') });
    expect(await away(ask)).toEqual({ kind: 'file', bytes: bytes('a') });
  });
});
