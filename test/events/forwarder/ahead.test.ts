import { describe, expect, it } from 'vitest';
import { check } from '#events/forwarder/checking.ts';
import { readAlone } from '#events/forwarder/looking.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Scope } from '#shared/domain/watched.ts';

const cursor: Cursor = { epoch: 1, generation: 1, at: { resourceVersion: '7' } };
const web = { namespace: 'team-a', name: 'web' };

type Server = {
  readonly version: string;
  readonly epoch?: number;
  /** For anything but its metadata. */
  readonly isLarge?: boolean;
};

/** The watch is at version 7, the server where it is said to be, and `web` was written there by version 9. */
function writing({ version, epoch = 1, isLarge = false }: Server) {
  let now = 0;
  const known = { uid: 'cluster', epoch };
  const begun: object[] = [];
  const object = { metadata: { ...web, uid: 'u', resourceVersion: '9' } };
  const writer = {
    world: {
      store: {
        identity: async () => known,
        beginEpoch: async (_: object, next: object) => begun.push(next) && 2,
      },
      stream: {
        identity: async () => 'cluster',
        version: async () => ({ kind: 'version', resourceVersion: version }),
        find: async ({ metadataOnly = false }: Scope) =>
          isLarge && !metadataOnly ? { kind: 'oversized' } : { kind: 'found', object },
      },
      pace: { restoredMs: 6 },
      now: () => now,
      pause: async (ms: number) => {
        now += ms;
      },
      tell: () => {},
    },
    followed: { scope: { kind: pods } },
    term: { scope: 'pods' },
    signal: new AbortController().signal,
    memory: { ahead: '' },
  } as unknown as Writer;
  return { writer, begun, known };
}

describe('what a GET told before the watch did', () => {
  it.each([
    ['', false],
    [' of an object that is too large to be read', true],
  ])(
    'shows a server that fell back between the two, which the cursor does not%s',
    async (_, isLarge) => {
      const { writer, begun } = writing({ version: '7', isLarge });
      expect(await check(cursor, writer)).toEqual({ kind: 'wake-existing', cursor });

      await readAlone([web], writer);
      expect(await check(cursor, writer)).toEqual({ kind: 'check', cursor });
      expect(begun).toEqual([{ uid: 'cluster', after: 1 }]);
    },
  );

  it('is no harm to a server that has gone on', async () => {
    const { writer, begun } = writing({ version: '10' });
    await readAlone([web], writer);
    expect(await check(cursor, writer)).toEqual({ kind: 'wake-existing', cursor });
    expect(begun).toEqual([]);
  });

  it('is forgotten with its history, whose versions may come again', async () => {
    const { writer, begun } = writing({ version: '7', epoch: 2 });
    await readAlone([web], writer);
    expect(await check(cursor, writer)).toMatchObject({ kind: 'list', cursor: { epoch: 2 } });
    const anew = { ...cursor, epoch: 2 };
    expect(await check(anew, writer)).toEqual({ kind: 'wake-existing', cursor: anew });
    expect(begun).toEqual([]);
  });

  it('is forgotten also where another process wrote while that history ended', async () => {
    const { writer, begun, known } = writing({ version: '7' });
    await check(cursor, writer);
    await readAlone([web], writer);
    known.epoch = 2;
    const anew = { ...cursor, epoch: 2 };
    expect(await check(anew, writer)).toEqual({ kind: 'wake-existing', cursor: anew });
    expect(begun).toEqual([]);
  });
});
