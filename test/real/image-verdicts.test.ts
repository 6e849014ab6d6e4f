import { readFileSync } from 'node:fs';
import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsOn } from '#shared/adapters/database/image-verdicts.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { usualRoles } from '#shared/domain/image-trust/tuf/trust.ts';
import { imageTrust } from '#shared/runtime/image-trust.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import {
  type DebianRegistry,
  startDebianRegistry,
} from '#test/support/registry/debian-registry.ts';
import { pushImage } from '#test/support/registry/push.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { publisherAt } from './notary/publisher.ts';
import { type RealNotary, startNotary } from './notary/start.ts';

let notary: RealNotary;
let registry: DebianRegistry;
let sql: Sql;
beforeAll(async () => {
  const database = await freshDatabase();
  sql = postgres(database.url, { max: 6, onnotice: () => undefined });
  // One after the other: each takes ports that are free, and may not take the other's.
  notary = await startNotary();
  registry = await startDebianRegistry({ kind: 'none' });
}, 60_000);
afterAll(async () => {
  await notary.stop();
  await registry.stop();
  await sql.end({ timeout: 1 });
});

/** Production's judge with production's door: what is on this machine is configured, as it would have to be. */
function openReplicas(count: number) {
  const here = ['127.0.0.0/8', '::1/128'];
  const ca = readFileSync(notary.caPath, 'utf8');
  const hosts = [
    { host: new URL(notary.url).host, ca, addresses: here, plainHttp: false },
    { host: registry.host, ca: registry.ca, addresses: here, plainHttp: false },
  ];
  const settings = settingsFixed({ imageTrust: { hosts, notary: { URL: notary.url } } });
  const time = { aheadMs: 0 };
  const parts = () => ({
    settings,
    clock: { now: () => new Date(Date.now() + time.aheadMs) },
    cluster: clusterInMemory(),
    bootstrapDocument: { current: async () => undefined },
    store: verdictsOn(sql, { cluster: 'main' }),
  });
  const judges = Array.from({ length: count }, () => imageTrust(parts()));
  const rules: TrustRules = {
    verifiers: [{ kind: 'notary', url: notary.url, reach: 'internal', roles: usualRoles }],
    need: 'either',
    allowed: [],
    owner: 'platform',
    registries: [],
    timeoutMs: 20_000,
  };
  const judge = async (image: string) => {
    const { signal } = new AbortController();
    const asked = { rules, isDryRun: false, signal };
    const all = await Promise.all(judges.map((each) => each.judge([image], asked)));
    return all.map(([finding]) => finding?.judgement);
  };
  return { judge, time };
}

const fiveMinutes = 300_000;

describe("a judge before Debian's notary and registry, on Postgres", () => {
  it('follows what is signed, taken back and rotated, and serves on when the Notary is gone', async () => {
    const gun = `${registry.host}/team/app`;
    const image = makeImage('good');
    const push = (tag: string) =>
      pushImage({ host: registry.host, ca: registry.ca, repository: 'team/app' }, image, tag);
    const publisher = publisherAt(notary);
    const sign = async (tag: string) => {
      const { digest, bytes } = image.manifest;
      const sha256 = digest.slice('sha256:'.length);
      const stated = [gun, tag, String(bytes.length), '--sha256', sha256, '-p'];
      await publisher.notary('addhash', ...stated);
    };
    await push('1.0');
    await publisher.notary('init', gun, '-p');
    await sign('1.0');
    await sign('2.0');

    const { judge, time } = openReplicas(3);
    const { digest } = image.manifest;
    const trusted = { kind: 'trusted', digest };
    expect(await judge(`${gun}:1.0`)).toMatchObject([trusted, trusted, trusted]);
    expect(await judge(`${gun}:2.0@${digest}`)).toMatchObject([trusted, trusted, trusted]);
    expect(await sql`select 1 from trust_anchors`).toHaveLength(1);

    await publisher.notary('remove', gun, '2.0', '-p');
    time.aheadMs += fiveMinutes;
    const refused = { kind: 'untrusted', why: 'not-signed' };
    expect(await judge(`${gun}:2.0@${digest}`)).toMatchObject([refused, refused, refused]);

    const [before] = await sql`select root from trust_anchors`;
    await publisher.notary('key', 'rotate', gun, 'root');
    time.aheadMs += fiveMinutes;
    expect(await judge(`${gun}:1.0`)).toMatchObject([trusted, trusted, trusted]);
    await publisher.notary('key', 'rotate', gun, 'targets');
    time.aheadMs += fiveMinutes;
    expect(await judge(`${gun}:1.0`)).toMatchObject([trusted, trusted, trusted]);
    const [after] = await sql`select root from trust_anchors`;
    expect(after?.['root']).not.toBe(before?.['root']);

    await notary.stop();
    time.aheadMs += 3_600_000;
    expect(await judge(`${gun}:1.0@${digest}`)).toMatchObject([trusted, trusted, trusted]);
    const away = { kind: 'unavailable', why: 'notary' };
    expect(await judge(`${gun}@${digest}`)).toMatchObject([away, away, away]);
  }, 60_000);
});
