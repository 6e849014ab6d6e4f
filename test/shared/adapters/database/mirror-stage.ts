import type { Sql } from 'postgres';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { openHeard } from '#shared/adapters/database/heard.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { namespacesOn } from '#shared/adapters/database/namespaces.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { keptKinds } from '#shared/runtime/mirrored-ports.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { proxyTo } from '#test/support/proxy-to.ts';
import { until } from '#test/support/until.ts';

export type MirrorStage = Awaited<ReturnType<typeof mirrorStage>>;

type Pace = {
  readonly beatMs?: number;
  readonly staleMs?: number;
  readonly isEmpty?: boolean;
};

/** One for all stages, which have a cluster each. */
export const database = freshDatabase();
/** The server may have to be started, on a machine that does other things. */
export const startMs = 30_000;
let stages = 0;

/**
 * A mirror with one namespace `a`, of which the cluster itself says something else: an answer shows whose it is. What
 * listens goes through a proxy, and only that.
 */
export async function mirrorStage({ beatMs = 50, staleMs = 2_000, isEmpty = false }: Pace = {}) {
  const { url } = await database;
  const proxy = await proxyTo(url);
  const [direct, proxied] = [open(url), open(proxy.url)];
  stages += 1;
  const cluster = `cluster-${stages}`;
  const writer = mirrorWriter(direct, cluster);
  const live = namespacesInMemory();
  live.put({ name: 'a', labels: { tier: 'live' } });
  if (!isEmpty) await writer.put(namespaces, namespaceOf('a', { tier: 'mirrored' }));

  const heard = openHeard(proxied, { cluster, kinds: keptKinds, beatMs, staleMs, quietMs: 60_000 });
  const mirror = mirrorOn(direct, { cluster });
  const isFresh = (kind = namespaces) => until(() => !heard.isStale(kind));
  if (!isEmpty) await isFresh();
  return {
    ...{ proxy, direct, proxied, cluster, heard, live, mirror, writer, isFresh },
    namespaces: namespacesOn({ mirror, heard, live }),
    isStale: (kind = namespaces) => until(() => heard.isStale(kind)),
    async close() {
      await heard.close();
      proxy.close();
      await Promise.all([direct.end({ timeout: 0 }), proxied.end({ timeout: 0 })]);
    },
  };
}

function open(url: string): Sql {
  const backoff = () => 0.02;
  return postgres(url, { max: 4, onnotice: () => undefined, backoff });
}

export function namespaceOf(name: string, labels: Readonly<Record<string, string>>): KubeObject {
  const metadata = { name, uid: `uid-of-${name}`, labels };
  return { apiVersion: 'v1', kind: 'Namespace', metadata };
}
