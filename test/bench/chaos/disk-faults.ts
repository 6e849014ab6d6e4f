import { setTimeout as after } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { FailureKind } from '#shared/adapters/database/failure.ts';
import { as } from './database.ts';
import type { Fault } from './faults.ts';
import { noticed } from './noticed.ts';
import { listenTo } from './operator-faults.ts';
import type { SmallDisk } from './small-disk.ts';
import type { Troupe } from './world.ts';

type Full = {
  readonly name: string;
  /** As what our processes know it. */
  readonly kind: FailureKind;
  /** What somebody else does on the full disk. */
  readonly act?: (troupe: Troupe) => Promise<void>;
};

/** Of a database that stands on a disk of its own. */
function full({ name, kind, act }: Full): Fault<Troupe> {
  return {
    name,
    async act(troupe) {
      const disk = diskOf(troupe);
      const listening = listenTo(troupe, kind);
      disk.fill();
      try {
        await act?.(troupe);
        await listening.heard();
        await after(troupe.waits.awayMs);
      } finally {
        disk.free();
      }
      // It may have ended where its log was without room.
      await troupe.database.revive();
      await noticed(troupe);
    },
  };
}

export const ofDisk: readonly Fault<Troupe>[] = [
  full({ name: 'a disk without room for another row', kind: 'full' }),
  // Then it can promise nothing any more, ends in a panic, and may not come back before there is room.
  full({
    name: 'a disk without room for the log',
    kind: 'no-server',
    act: ({ database }) => useUpTheLog(database.operatorUrl),
  }),
];

function diskOf({ database: { disk } }: Troupe): SmallDisk {
  if (disk === undefined) throw new Error('the database has no disk of its own');
  return disk;
}

const mostSegments = 64;

async function emit(sql: Sql): Promise<void> {
  await sql`select pg_logical_emit_message(false, 'chaos', 'x')`;
  await sql`select pg_switch_wal()`;
}

/** Each one that is begun needs a file, until none can be made. */
async function useUpTheLog(url: string): Promise<void> {
  for (let count = 0; count < mostSegments; count += 1) {
    const isAlive = await as(url, emit, { isMortal: true }).then(
      () => true,
      () => false,
    );
    if (!isAlive) return;
  }
  throw new Error('the log still finds room');
}
