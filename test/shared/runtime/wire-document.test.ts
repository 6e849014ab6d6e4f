import { expect, it, onTestFinished } from 'vitest';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { wire } from '#shared/runtime/wire.ts';
import { mapOf, mapTo, noSettings } from '#test/support/boot-document.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

it('a process that listens goes by the document of the mirror, and says so', async () => {
  const { url } = await freshDatabase();
  const sql = postgres(url, { max: 2, onnotice: () => undefined });
  const conditions = conditionsRecorded();
  const wiring = wire({
    settings: noSettings,
    conditions,
    measures: measuresRecorded(),
    login: undefined,
    databaseUrl: url,
    isListening: true,
  });
  onTestFinished(async () => {
    await wiring.close();
    await sql.end();
  });
  const { bootstrapDocument } = wiring.ports;
  // Nobody follows it yet, and there is no cluster to ask.
  await expect(bootstrapDocument.current()).rejects.toThrow('no cluster is named');
  expect(await bootstrapDocument.trustBundle('roots')).toEqual({ kind: 'unknown' });

  const scope = {
    kind: configMaps,
    namespace: 'kyma-system',
    fields: 'metadata.name=rt-bootstrapper-config',
  };
  const writer = mirrorWriter(sql, 'default');
  await writer.put(configMaps, mapTo('one.example'), [], scope);
  const target = async () =>
    (await bootstrapDocument.current().catch(() => undefined))?.overrides['a.example'];
  await until(async () => (await target()) === 'one.example');
  expect(conditions.find('bootstrap-document')).toMatchObject({ holds: true });

  await writer.put(configMaps, mapOf('{'), [], scope);
  await until(async () => {
    await target();
    return conditions.find('bootstrap-document')?.holds === false;
  });
  expect(await target()).toBe('one.example');
});
