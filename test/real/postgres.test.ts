import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readMigrations } from '#infra/migrations/read.ts';
import { failureOf } from '#shared/adapters/database/failure.ts';
import { migrate, readSchema } from '#shared/adapters/database/migrate.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { postgresVersions } from '#test/support/postgres.ts';

const servers = await postgresVersions();
const migrations = await readMigrations();

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

describe.each(servers)('Postgres $version', ({ freshDatabase }) => {
  it('takes the migrations, from several who migrate at the same time', async () => {
    const { url, drop } = await freshDatabase({ isMigrated: false });
    const databases = Array.from({ length: 4 }, () =>
      openDatabase(url, { name: 'test', isPatient: true, connections: 1 }),
    );
    const states = await Promise.all(databases.map(({ sql }) => migrate(sql, { migrations })));
    expect(states).toEqual(databases.map(() => ({ kind: 'current', ahead: [] })));
    await Promise.all(databases.map(({ close }) => close()));
    await drop();
  });

  it('makes databases from the migrated template', async () => {
    const { url, drop } = await freshDatabase();
    const { sql, close } = openDatabase(url, { name: 'test' });
    expect(await readSchema(sql, migrations)).toEqual({ kind: 'current', ahead: [] });
    await close();
    await drop();
  });

  it('says that its disk is full, keeps what it took, and goes on when there is room', async () => {
    const { url, drop } = await freshDatabase({ isMigrated: false });
    const { sql, close } = openDatabase(url, { name: 'test', connections: 1 });
    const [at] = await sql<{ data_directory: string }[]>`show data_directory`;
    const disk = smallDisk(statSync(at?.data_directory ?? ''));
    undo.push(disk.remove);
    const space = new URL(url).pathname.slice(1);
    await sql.unsafe(`create tablespace ${space} location '${disk.path}'`);
    await sql.unsafe(`create table rows (id int, body text) tablespace ${space}`);

    const taken: number[] = [];
    const fill = async (id: number): Promise<unknown> => {
      await sql`insert into rows select ${id}, repeat(md5(n::text), 3) from generate_series(1, 2000) n`;
      taken.push(id);
      return fill(id + 1);
    };
    const failure = failureOf(await fill(0).catch((cause: unknown) => cause));
    expect(failure).toMatchObject({ kind: 'full', mend: expect.stringContaining('free disk') });
    const kept = await sql<
      { id: number }[]
    >`select id from rows group by id having count(*) = 2000 order by id`;
    expect(kept.map(({ id }) => id)).toEqual(taken);

    await sql`drop table rows`;
    await sql.unsafe(`create table rows (id int, body text) tablespace ${space}`);
    expect(await sql`insert into rows values (1, 'again') returning id`).toEqual([{ id: 1 }]);
    await sql`drop table rows`;
    await sql.unsafe(`drop tablespace ${space}`);
    await close();
    await drop();
  });
});

/** Eight megabytes of memory, mounted: only root can. Lazily undone: a test that failed left files open in it. */
function smallDisk({ uid, gid }: { readonly uid: number; readonly gid: number }) {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=8m,uid=${uid},gid=${gid}`, 'tmpfs', path]);
  return {
    path,
    remove: () => {
      execFileSync('umount', ['--lazy', path]);
      rmdirSync(path);
    },
  };
}
