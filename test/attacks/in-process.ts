import type { LookupAddress } from 'node:dns';
import requireTrustedImages from '#functions/image-trust/require-trusted-images.ts';
import requireUserImages from '#functions/image-trust/require-user-images.ts';
import verifyPod from '#functions/image-trust/verify-pod.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { decode } from '#shared/domain/decode.ts';
import { outsideHosts } from '#shared/domain/image-trust/outside-hosts.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { settings as decoder, type Settings } from '#shared/domain/settings.ts';
import { imageTrust } from '#shared/runtime/image-trust.ts';
import { type Logged, stage as staged } from '#test/support/admission.ts';
import { outsideOf } from '#test/support/registry/outside-world.ts';
import { now } from '#test/support/tuf/scene.ts';
import { admitThrough } from './admit.ts';
import { settingsFor } from './configuration.ts';
import type { Corpus } from './corpus.ts';
import type { Stage } from './vector.ts';

export type InProcess = Stage & { readonly logged: readonly Logged[]; close(): void };

/** The functions themselves behind their loop, with everything real but the database, the socket and the clock. */
export async function openInProcess(corpus: Corpus): Promise<InProcess> {
  const stated = settled(settingsFor(corpus));
  const settings = settingsFixed(stated);
  const clock = clockAt(now.toISOString());
  const { connectionsPerHost } = stated.imageTrust;
  const outside = outsideOf(outsideHosts(stated.imageTrust), {
    connectionsPerHost,
    resolve: onlyHere,
  });
  const cluster = clusterInMemory();
  const database = { isAway: false };
  const images = imageTrust({
    outside,
    settings,
    clock,
    cluster,
    bootstrapDocument: { current: async () => undefined },
    store: cuttable(verdictsInMemory().open(), database),
  });
  const namespaces = namespacesInMemory(...corpus.namespaces);
  const remembered = namespacesInMemory(...corpus.namespaces);
  // What is remembered of a namespace is what it was at the start.
  const late = { ...namespaces, find: remembered.find };
  const { app, logged } = await staged({
    functions: [verifyPod, requireTrustedImages, requireUserImages],
    settings: stated,
    isUntimed: () => true,
    namespaces: late,
    ports: { images, clock, namespaces: late },
  });
  const post = async (path: string, review: object) =>
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(review),
    });
  return {
    logged,
    outside: corpus.outside,
    admit: (asked) => admitThrough(post, asked),
    put: async (kind, object) => {
      const { name = '', namespace, labels = {}, annotations = {} } = object.metadata;
      if (kind.kind === 'Namespace') namespaces.put({ name, labels, annotations });
      else await cluster.apply({ kind, namespace, name }, object, { fieldManager: 'attacks' });
    },
    cutOff: (isAway) => {
      database.isAway = isAway;
    },
    close: () => {
      images.close();
      outside.close();
    },
  };
}

/** A name that nobody has costs no question to a server far away. */
async function onlyHere(name: string): Promise<readonly LookupAddress[]> {
  return name === 'localhost' ? [{ address: '127.0.0.1', family: 4 }] : [];
}

function settled(stated: JsonObject): Settings {
  const read = decode(decoder, stated);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

/** As a database does that cannot be reached. */
function cuttable(store: VerdictStore, database: { readonly isAway: boolean }): VerdictStore {
  return new Proxy(store, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key);
      if (key === 'onChange' || typeof found !== 'function') return found;
      return async (...given: unknown[]) => {
        if (database.isAway) throw new Error('the database is away');
        return Reflect.apply(found, target, given);
      };
    },
  });
}
