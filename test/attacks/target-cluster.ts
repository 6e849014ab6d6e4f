import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { decode, list, maybe, record, text } from '#shared/domain/decode.ts';
import { mutatingWebhooks, namespaces } from '#shared/domain/kind.ts';
import { manifestOf } from './configuration.ts';
import type { Stage, StatedNamespace } from './vector.ts';

export type TargetCluster = {
  readonly put: NonNullable<Stage['put']>;
  make(stated: readonly StatedNamespace[]): Promise<void>;
  /** How many could not be. */
  remove(stated: readonly StatedNamespace[]): Promise<number>;
  /** Who issued the certificate of the webhook that is registered there, and for whom. */
  findIssuer(): Promise<{ readonly ca: string; readonly servername: string } | undefined>;
  close(): void;
};

const registered = record({
  webhooks: list(
    record({
      clientConfig: record({
        caBundle: maybe(text),
        service: maybe(record({ name: text, namespace: text })),
      }),
    }),
  ),
});

export async function openTargetCluster(path: string): Promise<TargetCluster> {
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path } });
  const put: TargetCluster['put'] = async (kind, object) => {
    const { name = '', namespace } = object.metadata;
    const options = { fieldManager: 'attacks', force: true };
    await cluster.apply({ kind, namespace, name }, object, options);
  };
  return {
    put,
    make: async (stated) => {
      for (const each of stated) await put(namespaces, manifestOf(each));
    },
    remove: async (stated) => {
      const removed = await Promise.allSettled(
        stated.map(({ name }) => cluster.delete({ kind: namespaces, name })),
      );
      return removed.filter(({ status }) => status === 'rejected').length;
    },
    findIssuer: async () => {
      const target = { kind: mutatingWebhooks, name: 'gatehouse' };
      const read = decode(registered, await cluster.find(target));
      const [first] = read.ok ? read.value.webhooks : [];
      const { caBundle, service } = first?.clientConfig ?? {};
      if (caBundle === undefined || service === undefined) return undefined;
      const ca = Buffer.from(caBundle, 'base64').toString('utf8');
      return { ca, servername: `${service.name}.${service.namespace}.svc` };
    },
    close: () => cluster.close(),
  };
}
