import { describe, expect, it } from 'vitest';
import { awaitKind } from '#events/forwarder/absent.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';

const cursor: Cursor = { epoch: 1, generation: 1, at: { resourceVersion: '9' } };
const why = 'HTTP 404';

/** A 404 was answered, and then the server says that it has the kind in this version. */
function refusedBut(version: string): Writer {
  return {
    world: { stream: { served: async () => ({ ...pods, version }) } },
    followed: { scope: { kind: pods } },
    memory: { served: undefined },
    signal: new AbortController().signal,
  } as unknown as Writer;
}

describe('a kind whose request was answered by 404', () => {
  it('is waited for where the server has it in that very version: asked again at once, it may answer so for ever', async () => {
    const next = await awaitKind({ kind: 'absent', cursor, why }, refusedBut(pods.version));
    expect(next).toMatchObject({ kind: 'wait', why });
  });

  it('is gone on with at once in another version', async () => {
    const writer = refusedBut('v2');
    const next = await awaitKind({ kind: 'absent', cursor, why }, writer);
    expect([next.kind, writer.memory.served?.version]).toEqual([
      expect.not.stringMatching('wait'),
      'v2',
    ]);
  });
});
