import { afterAll, beforeAll, expect, it } from 'vitest';
import { byVersion } from '#shared/adapters/database/by-version.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { database, type MirrorStage, mirrorStage, startMs } from './mirror-stage.ts';

beforeAll(async () => void (await database), startMs);

const stages: MirrorStage[] = [];
afterAll(async () => {
  await Promise.all(stages.map((stage) => stage.close()));
});

async function open() {
  const stage = await mirrorStage({ isEmpty: true });
  stages.push(stage);
  const { direct, cluster, writer } = stage;
  const made: unknown[] = [];
  const find = byVersion({
    sql: async () => direct,
    cluster,
    kind: configMaps,
    make(object) {
      made.push(object['data']);
      return object['data'];
    },
  });
  const put = (said: string, uid = 'u', resourceVersion?: string) => {
    const stated = { namespace: 'team-a', name: 'one', uid };
    const metadata = resourceVersion === undefined ? stated : { ...stated, resourceVersion };
    return writer.put(configMaps, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata },
      data: { said },
    });
  };
  return { ...stage, find: () => find({ namespace: 'team-a', name: 'one' }), made, put };
}

it('what is made of an object is made once for each of its versions', async () => {
  const { find, made, put, writer } = await open();
  expect(await find()).toEqual({ value: undefined });
  await put('first');
  const first = await find();
  expect(first).toEqual({ value: { said: 'first' } });
  expect(await find()).toBe(first);
  await put('second');
  expect(await find()).toEqual({ value: { said: 'second' } });
  expect(made).toHaveLength(2);
  await writer.remove(configMaps, 'u');
  expect(await find()).toEqual({ value: undefined });
});

it('what is made of an object is made anew for its version in another history of the cluster', async () => {
  const { find, put, direct, cluster } = await open();
  await put('before', 'u', '7');
  expect(await find()).toEqual({ value: { said: 'before' } });
  const body = JSON.stringify({ data: { said: 'after' } });
  await direct`
    update objects set epoch = 2, body = ${body}::text::json where cluster = ${cluster}`;
  expect(await find()).toEqual({ value: { said: 'after' } });
});

it('what is made of an object is made anew for another one of its name and version', async () => {
  const { find, put, writer } = await open();
  await put('before', 'u', '7');
  expect(await find()).toEqual({ value: { said: 'before' } });
  await writer.remove(configMaps, 'u');
  await put('after', 'other', '7');
  expect(await find()).toEqual({ value: { said: 'after' } });
});

it('what is made of an object is made anew for its version in another scope, which may have more of it', async () => {
  const { find, put, direct, cluster } = await open();
  await put('before', 'u', '7');
  expect(await find()).toEqual({ value: { said: 'before' } });
  const body = JSON.stringify({ data: { said: 'after' } });
  await direct`
    update objects set scope = 'other', body = ${body}::text::json where cluster = ${cluster}`;
  expect(await find()).toEqual({ value: { said: 'after' } });
});
