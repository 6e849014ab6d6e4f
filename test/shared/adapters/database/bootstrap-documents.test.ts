import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import {
  bootstrapDocumentsOn,
  mirroredDocuments,
} from '#shared/adapters/database/bootstrap-documents.ts';
import { stalenessOn } from '#shared/adapters/database/followed.ts';
import { followedReads } from '#shared/adapters/database/followed-reads.ts';
import { clusterTrustBundles, configMaps } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { scopeName } from '#shared/domain/watched.ts';
import type { BootstrapDocuments, Mirror } from '#shared/ports.ts';
import {
  bundleOf,
  hashOfAbc,
  keeping,
  mapOf,
  mapTo,
  noSettings,
} from '#test/support/boot-document.ts';
import { until } from '#test/support/until.ts';
import { database, type MirrorStage, mirrorStage, startMs } from './mirror-stage.ts';

beforeAll(async () => void (await database), startMs);

const stages: MirrorStage[] = [];
afterAll(async () => {
  await Promise.all(stages.map((stage) => stage.close()));
});

/** As the forwarder follows it: this one ConfigMap, and no other. */
const fields = 'metadata.name=rt-bootstrapper-config';
const scope = { kind: configMaps, namespace: 'kyma-system', fields };
const live = { overrides: { 'a.example': 'live.example' }, availableFeatures: [] };

async function open() {
  const stage = await mirrorStage({ isEmpty: true });
  stages.push(stage);
  const asked = { live: 0, mirror: 0 };
  const inCluster = bootstrapDocumentsInMemory(live);
  const counted: BootstrapDocuments = {
    ...inCluster,
    current: () => {
      asked.live += 1;
      return inCluster.current();
    },
  };
  const mirror: Mirror = {
    ...stage.mirror,
    find: (...given) => {
      asked.mirror += 1;
      return stage.mirror.find(...given);
    },
  };
  const { keeper, told } = keeping();
  const { heard } = stage;
  const given = { mirror, settings: noSettings, keeper, live: counted };
  const documents = bootstrapDocumentsOn({ ...given, heard });
  const ofCluster = { cluster: stage.cluster, quietMs: 60_000 };
  const sql = async () => stage.direct;
  const reads = followedReads(stalenessOn(sql, ofCluster));
  const unremembered = mirroredDocuments({ ...given, sql, cluster: stage.cluster, reads });
  const write = (object: KubeObject) => stage.writer.put(configMaps, object, [], scope);
  const target = async () => (await documents.current())?.overrides['a.example'];
  const isFresh = () => until(() => !heard.isStale(configMaps, [scopeName(scope)]));
  return { ...stage, asked, documents, unremembered, told, write, target, isFresh, inCluster };
}

describe('the document of the mirror', () => {
  it('comes from the cluster until the mirror has it', async () => {
    const { target } = await open();
    expect(await target()).toBe('live.example');
  });

  it('is followed from then on, and asks nobody between two changes', async () => {
    const { target, write, isFresh, asked } = await open();
    await write(mapTo('one.example'));
    await isFresh();
    await until(async () => (await target()) === 'one.example');
    const before = { ...asked };
    for (let pod = 0; pod < 100; pod += 1) expect(await target()).toBe('one.example');
    expect(asked).toEqual(before);

    await write(mapTo('two.example'));
    await until(async () => (await target()) === 'two.example');
  });

  it('is followed as well where all of its namespace is', async () => {
    const { target, writer } = await open();
    const { namespace } = scope;
    await writer.put(configMaps, mapTo('one.example'), [], { kind: configMaps, namespace });
    await until(async () => (await target()) === 'one.example');
  });

  it('stays the last good one where a bad one is written, and says so', async () => {
    const { target, write, isFresh, told } = await open();
    await write(mapTo('one.example'));
    await isFresh();
    await until(async () => (await target()) === 'one.example');
    await write(mapOf('{'));
    await until(async () => {
      await target();
      return told.at(-1)?.problems.length === 1;
    });
    expect(await target()).toBe('one.example');
  });

  it('comes from the cluster where only its metadata is mirrored', async () => {
    const { target, write, isFresh } = await open();
    const { data: _, ...metadataOnly } = mapTo('one.example');
    await write(metadataOnly);
    await isFresh();
    expect(await target()).toBe('live.example');
  });

  it('comes from the cluster while the database is away', async () => {
    const { target, write, isFresh, proxy, heard } = await open();
    await write(mapTo('one.example'));
    await isFresh();
    await until(async () => (await target()) === 'one.example');
    proxy.cut();
    await until(() => heard.isStale(configMaps, [scopeName(scope)]));
    expect(await target()).toBe('live.example');
  });
});

describe('a trust bundle of the mirror', () => {
  it('is followed by its hash, and is the cluster’s to tell where it is not there', async () => {
    const { documents, writer, heard, inCluster } = await open();
    inCluster.know('roots', { kind: 'not-served' });
    expect(await documents.trustBundle('roots')).toEqual({ kind: 'not-served' });
    await writer.put(clusterTrustBundles, bundleOf('roots', 'old'));
    await until(() => !heard.isStale(clusterTrustBundles));
    await until(async () => (await documents.trustBundle('roots')).kind === 'present');
    await writer.put(clusterTrustBundles, bundleOf('roots', 'abc'));
    const known = async () => JSON.stringify(await documents.trustBundle('roots'));
    await until(async () => (await known()).includes(hashOfAbc));
  });

  it('is the cluster’s to tell while the database is away', async () => {
    const { documents, writer, heard, proxy, inCluster } = await open();
    await writer.put(clusterTrustBundles, bundleOf('roots', 'abc'));
    await until(() => !heard.isStale(clusterTrustBundles));
    expect(await documents.trustBundle('roots')).toMatchObject({ kind: 'present' });
    proxy.cut();
    await until(() => heard.isStale(clusterTrustBundles));
    inCluster.know('roots', { kind: 'not-served' });
    expect(await documents.trustBundle('roots')).toEqual({ kind: 'not-served' });
  });
});

describe('what is not remembered of the mirror', () => {
  const pointedAt = async (documents: BootstrapDocuments) =>
    (await documents.current())?.overrides['a.example'];

  it('is a document without its key as well, for which nobody asks the cluster', async () => {
    const { unremembered, write, isFresh, asked } = await open();
    const { data: _, ...rest } = mapTo('one.example');
    await write({ ...rest, data: { another: '{}' } });
    await isFresh();
    expect(await pointedAt(unremembered)).toBeUndefined();
    expect(asked.live).toBe(0);
    await write(rest);
    expect(await pointedAt(unremembered)).toBe('live.example');
  });

  it('is the document and the bundle as the last commit left them, told or not', async () => {
    const { unremembered, writer, write, target, isFresh, proxy } = await open();
    await write(mapTo('one.example'));
    await writer.put(clusterTrustBundles, bundleOf('roots', 'old'));
    await isFresh();
    await until(async () => (await target()) === 'one.example');
    proxy.freeze();
    await write(mapTo('two.example'));
    await writer.put(clusterTrustBundles, bundleOf('roots', 'abc'));
    expect(await pointedAt(unremembered)).toBe('two.example');
    const bundle = { kind: 'present', hash: hashOfAbc };
    expect(await unremembered.trustBundle('roots')).toEqual(bundle);
  });

  it('comes from the cluster until it is followed, and where its metadata alone is', async () => {
    const { unremembered, writer, write, inCluster } = await open();
    inCluster.know('roots', { kind: 'not-served' });
    expect(await pointedAt(unremembered)).toBe('live.example');
    expect(await unremembered.trustBundle('roots')).toEqual({ kind: 'not-served' });
    const { data: _, ...metadataOnly } = mapTo('one.example');
    await write(metadataOnly);
    expect(await pointedAt(unremembered)).toBe('live.example');
    const { spec: __, ...bare } = bundleOf('roots', 'abc');
    await writer.put(clusterTrustBundles, bare);
    expect(await unremembered.trustBundle('roots')).toEqual({ kind: 'not-served' });
  });

  it('asks the cluster for nothing that is followed and not there', async () => {
    const { unremembered, writer, write, asked } = await open();
    await write({ ...mapTo('one.example'), metadata: { name: 'another', uid: 'u' } });
    await writer.put(clusterTrustBundles, bundleOf('other', 'abc'));
    expect(await unremembered.current()).toBeUndefined();
    expect(await unremembered.trustBundle('roots')).toEqual({ kind: 'absent' });
    expect(asked.live).toBe(0);
  });
});
