import { setTimeout as after } from 'node:timers/promises';
import { as } from './database.ts';
import type { Fault } from './faults.ts';
import { noticed } from './noticed.ts';
import { listenTo } from './operator-faults.ts';
import type { SmallDisk } from './small-disk.ts';
import type { Troupe } from './world.ts';

/** Of a database that stands on a disk of its own. */
export const ofDisk: readonly Fault<Troupe>[] = [
  {
    name: 'a disk without room for another row',
    async act(troupe) {
      const disk = diskOf(troupe);
      const listening = listenTo(troupe, 'full');
      disk.fill();
      try {
        await listening.heard();
        await after(troupe.waits.awayMs);
      } finally {
        disk.free();
      }
      // The log may have been without room as well.
      await troupe.database.revive();
      await noticed(troupe);
    },
  },
  {
    // Then it can promise nothing any more, ends in a panic, and may not come back before there is room.
    name: 'a disk without room for the log',
    async act(troupe) {
      const disk = diskOf(troupe);
      const listening = listenTo(troupe, 'no-server');
      disk.fill();
      try {
        await useUpTheLog(troupe.database.operatorUrl);
        await listening.heard();
        await after(troupe.waits.awayMs);
      } finally {
        disk.free();
      }
      await troupe.database.revive();
      await noticed(troupe);
    },
  },
];

function diskOf({ database: { disk } }: Troupe): SmallDisk {
  if (disk === undefined) throw new Error('the database has no disk of its own');
  return disk;
}

const mostSegments = 64;

/** Each one that is begun needs a file, until none can be made. */
async function useUpTheLog(url: string): Promise<void> {
  for (let count = 0; count < mostSegments; count += 1) {
    const isAlive = await as(url, async (sql) => {
      await sql`select pg_logical_emit_message(false, 'chaos', 'x')`;
      await sql`select pg_switch_wal()`;
    }).then(
      () => true,
      () => false,
    );
    if (!isAlive) return;
  }
  throw new Error('the log still finds room');
}
