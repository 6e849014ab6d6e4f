import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Controllers } from '#infra/emulator/controllers/open-controllers.ts';
import {
  type KindOf,
  namespaces,
  serviceAccounts,
} from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import type { Login } from '#shared/adapters/cluster/login.ts';
import { apiVersion, type Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, Target } from '#shared/ports.ts';

/** `plain-1`, `plain-2` with `disk: ssd`, and `picky` with the taint `only=few:NoSchedule`. */
export type Stage = {
  readonly cluster: Cluster;
  readonly controllers: Pick<Controllers, 'faults'>;
  readonly login: Login;
};

export const stageNodes = [
  { name: 'plain-1' },
  { name: 'plain-2', labels: { disk: 'ssd' } },
  { name: 'picky', taints: [{ key: 'only', value: 'few', effect: 'NoSchedule' }] },
];

export type Kit = ReturnType<typeof kitFor>;
type Place = [namespace: string | undefined, name: string];

/** Nobody waits so long but a machine that has much else to do. */
const patienceMs = 50_000;

/** Short words for what the cases do. */
export function kitFor({ cluster, controllers }: Stage) {
  const make = async (
    kind: Kind,
    ...[namespace, name, body]: [...Place, object]
  ): Promise<KubeObject> => {
    const { metadata = {}, ...rest } = body as { readonly metadata?: object };
    const stated = { apiVersion: apiVersion(kind), kind: kind.kind, ...rest };
    const at = { ...metadata, name, ...(namespace !== undefined && { namespace }) };
    const written = await cluster.create(kind, { ...stated, metadata: at });
    if (written.kind !== 'written') throw new Error(`${kind.kind} ${name}: ${written.kind}`);
    return written.object;
  };
  const find = async <T extends Thing>(kind: KindOf<T>, ...[namespace, name]: Place) =>
    // The server's objects are of their kind.
    (await cluster.find({ kind, namespace, name })) as unknown as T | undefined;
  return {
    cluster,
    faults: controllers.faults,
    make,
    async fresh(): Promise<string> {
      const name = `test-${Math.random().toString(36).slice(2, 10)}`;
      await make(namespaces, undefined, name, {});
      // Before there is one, no pod is admitted.
      await found(() => find(serviceAccounts, name, 'default'));
      return name;
    },
    async merge(kind: Kind, ...[namespace, name, body]: [...Place, object]): Promise<void> {
      const patch = { type: 'merge', body: JSON.parse(JSON.stringify(body)) } as const;
      const written = await cluster.patch({ kind, namespace, name }, patch);
      expect(written.kind).toBe('written');
    },
    seen: <T extends Thing>(
      kind: KindOf<T>,
      ...[namespace, name, holds]: [...Place, (object: T) => boolean]
    ): Promise<T> =>
      found(async () => {
        const object = await find(kind, namespace, name);
        return object !== undefined && holds(object) ? object : undefined;
      }),
    gone: (target: Target) =>
      found(async () => ((await cluster.find(target)) === undefined ? true : undefined)),
    async all<T extends Thing>(kind: KindOf<T>, namespace: string): Promise<readonly T[]> {
      const objects: unknown[] = [];
      for await (const object of cluster.list(kind, { namespace })) objects.push(object);
      return objects as readonly T[];
    },
  };
}

export async function found<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(40)) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  throw new Error(`not within ${patienceMs} ms`);
}
