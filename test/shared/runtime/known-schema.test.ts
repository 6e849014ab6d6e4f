import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readMigrations } from '#infra/migrations/read.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { defineReconcile } from '#shared/define.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import { readEnvironment } from '#shared/runtime/config.ts';
import { openStage } from '#shared/runtime/invoke/stage.ts';
import { rules } from '#test/support/image-trust/judging.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { proxyTo } from '#test/support/proxy-to.ts';
import { logRecorded } from '#test/support/running.ts';
import { eventually } from '#test/support/working.ts';

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close();
});

const schema = await readMigrations();

const sweep = defineReconcile({
  name: 'sweep',
  capability: 'samples',
  trigger: { everySeconds: 60 },
  uses: ['mirror'],
  deadlineMs: 5_000,
  handler: () => done,
});

/** A bundle's stage, and what reads its mirror. */
function stageOn(url: string | undefined) {
  const log = { ...logRecorded(), setLevel: () => {} };
  const environment = readEnvironment(url === undefined ? {} : { DATABASE_URL: url });
  const stage = openStage(sweep, { schema, environment, log });
  closings.push(stage.close);
  const read = async () => stage.ports.mirror.find(configMaps, { namespace: 'a', name: 'b' });
  const said = () =>
    log.lines.flatMap(({ level, fields }) =>
      ['database', 'schema'].includes(String(fields['condition'])) ? [[level, fields['why']]] : [],
    );
  return { stage, read, said };
}

async function databaseWith(options?: { readonly isMigrated: boolean }) {
  const fresh = await freshDatabase(options);
  const { sql, where, close } = openDatabase(fresh.url, { name: 'test', connections: 1 });
  closings.push(close);
  return { url: fresh.url, sql, where };
}

const ofNewer = '9999_newer';
type Owner = Awaited<ReturnType<typeof databaseWith>>;
const makeNewer = ({ sql }: Owner) =>
  sql`insert into gatehouse_migrations values (${ofNewer}, 'n', false)`;
const makeNewerByAdding = ({ sql }: Owner) =>
  sql`insert into gatehouse_migrations values (${ofNewer}, 'n', true)`;
const makeOlder = ({ sql }: Owner) =>
  sql`delete from gatehouse_migrations where name = ${schema.at(-1)?.name ?? ''}`;
const makeEdited = ({ sql }: Owner) => sql`update gatehouse_migrations set hash = 'e'`;

describe('the database of a bundle', () => {
  it.each([
    ['newer', makeNewer, `newer than this Gatehouse: it has ${ofNewer}`, 'run the newer Gatehouse'],
    ['older', makeOlder, `older than this Gatehouse: ${schema.at(-1)?.name}`, 'gatehouse migrate'],
    ['another', makeEdited, 'is not the one of this Gatehouse', 'use another database'],
  ])(
    'is not read while its schema is %s, which is said once: what, where and how to mend it',
    async (_, change, what, mend) => {
      const owner = await databaseWith();
      await change(owner);
      const { read, said, stage } = stageOn(owner.url);
      await expect(read()).rejects.toMatchObject({ name: 'DatabaseError', where: owner.where });
      await expect(stage.database()).rejects.toThrow(what);
      expect(said()).toEqual([['error', expect.stringContaining(what)]]);
      expect(said()).toEqual([['error', expect.stringContaining(owner.where)]]);
      expect(said()).toEqual([['error', expect.stringContaining(mend)]]);
    },
  );

  it('is not read before it is migrated, and is from then on', async () => {
    const owner = await databaseWith({ isMigrated: false });
    const { read, said } = stageOn(owner.url);
    await expect(read()).rejects.toThrow('older than this Gatehouse');
    await migrate(owner.sql, { migrations: schema });
    await read();
    expect(said()).toMatchObject([
      ['error', expect.stringContaining('gatehouse migrate')],
      ['info', expect.any(String)],
    ]);
  });

  it('says which right is missing', async () => {
    const owner = await databaseWith();
    await owner.sql`alter schema public rename to elsewhere`;
    const { read, said } = stageOn(owner.url);
    await expect(read()).rejects.toThrow('lacks a right');
    expect(said()).toMatchObject([['error', expect.stringMatching(/search_path.*USAGE.*grant/)]]);
  });

  it('is looked at once, and read where a newer version has only added to it', async () => {
    const owner = await databaseWith();
    await makeNewerByAdding(owner);
    const { read, said } = stageOn(owner.url);
    await read();
    await makeOlder(owner);
    await read();
    expect(said()).toEqual([]);
  });

  it('that is away at the start is looked at when it is back', async () => {
    const owner = await databaseWith();
    const between = await proxyTo(owner.url);
    closings.push(between.close);
    const { read, said } = stageOn(between.url);
    between.cut();
    await expect(read()).rejects.toThrow('does not answer');
    await makeNewer(owner);
    between.mend();
    await expect(read()).rejects.toThrow('newer than this Gatehouse');
    await owner.sql`delete from gatehouse_migrations where name = ${ofNewer}`;
    await read();
    expect(said()).toMatchObject([
      ['error', expect.stringContaining('does not answer')],
      ['info', expect.any(String)],
      ['error', expect.stringContaining('newer than this Gatehouse')],
      ['info', expect.any(String)],
    ]);
  });

  it('that says nothing keeps nobody from his end', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { stage } = stageOn(`postgres://any@127.0.0.1:${port}/any`);
    const asked = { rules, isDryRun: false, signal: new AbortController().signal };
    await stage.ports.images.recall([`registry.example/app@sha256:${'a'.repeat(64)}`], asked);
    // As long as its sessions may take to end.
    await stage.close();
    silent.close();
  });

  it('that is away at the start is no part of what images are judged by, until it is back', async () => {
    const { url } = await databaseWith();
    const between = await proxyTo(url);
    closings.push(between.close);
    const { stage, said } = stageOn(between.url);
    const asked = { rules, isDryRun: false, signal: new AbortController().signal };
    const images = [`registry.example/app@sha256:${'a'.repeat(64)}`];
    between.cut();
    const away = await stage.ports.images.recall(images, asked);
    between.mend();
    // After one failure nobody waits for the next for a second.
    await eventually(async () => {
      expect(await stage.ports.images.recall(images, asked)).toEqual(away);
      expect(said().map(([level]) => level)).toEqual(['error', 'info']);
    });
  });

  it('is nothing that a bundle without one is told of', async () => {
    const { read, said } = stageOn(undefined);
    await expect(read()).rejects.toThrow('no database is named');
    expect(said()).toEqual([]);
  });
});
