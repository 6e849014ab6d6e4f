import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import healCaBundle from '#functions/certificates/heal-ca-bundle.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { bundleOf, fromBase64, toBase64 } from '#shared/domain/certificates/pem.ts';
import { authoritiesOf, contentsOf } from '#shared/domain/certificates/secret.ts';
import { certificatesSecret } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configMaps, leases, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import {
  openRealReplica,
  portsOf,
  type RealReplica,
  type ReplicaPorts,
} from '#test/support/certificates/real-replica.ts';
import {
  bundlesOf,
  mutatingConfiguration,
  ofMutating,
} from '#test/support/certificates/webhooks.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';

const patiently = { timeout: 60_000, interval: 50 };
const soon = { timeout: 15_000, interval: 50 };
const conditions = conditionsRecorded();
const certificates = openCertificates();
let cluster: OpenCluster;
let namespace: string;
let ports: ReplicaPorts;
let replicas: readonly RealReplica[];
let load: Load;

beforeAll(async () => {
  cluster = await openCluster({ login: { kind: 'kubeconfig', path: inject('kube').kubeconfig } });
  namespace = await freshNamespace(cluster);
  const settings = settingsFixed({
    installation: { namespace },
    certificates: {
      ...{ caLifetime: '40s', leafLifetime: '30s', renewBefore: '1h', settle: '2s' },
      dnsNames: ['127.0.0.1'],
    },
  });
  ports = { clock: { now: () => new Date() }, settings, cluster, certificates, conditions };
});

afterAll(async () => {
  await load.stop();
  await Promise.all(replicas.map((replica) => replica.stop()));
  await cluster.delete(ofMutating);
  cluster.close();
});

/** One story, in order: two replicas, both asked by the API server at every create. */
describe('certificates on a real API server', () => {
  it('come up from nothing in seconds, made once among replicas that start together', async () => {
    const startedMs = Date.now();
    replicas = await Promise.all(['one', 'two'].map((name) => openRealReplica(name, ports)));
    expect(Date.now() - startedMs).toBeLessThan(5_000);
    expect(new Set(replicas.map((replica) => replica.current()?.authorities)).size).toBe(1);
    expect(await listed(leases)).toBe(2);
  });

  it('say what is missing while there is no webhook configuration', async () => {
    await heal();
    expect(conditions.find('ca-bundle')).toMatchObject({
      holds: false,
      why: expect.stringContaining('there is no webhook configuration'),
    });
  });

  it('are in every entry after one write that changed nothing else', async () => {
    expect(await install()).toBe('written');
    const before = await configuration();
    const outcomes = await Promise.all([heal(), heal(), heal()]);
    expect(outcomes.filter(({ kind }) => kind === 'done').length).toBeGreaterThan(0);

    const after = await configuration();
    expect(after.metadata['generation']).toBe(Number(before.metadata['generation']) + 1);
    expect(stated(after)).toEqual(withBundle(stated(before), await wanted()));
    expect(conditions.find('ca-bundle')).toBeDefined();
  });

  it('are written no second time', async () => {
    const before = await configuration();
    expect(await Promise.all([heal(), heal(), heal()])).toEqual(Array(3).fill({ kind: 'done' }));
    expect(await configuration()).toEqual(before);
  });

  it('are all that is ours in the configuration, so that an installer may apply its own again', async () => {
    const before = await configuration();
    const owned = (before.metadata['managedFields'] as JsonObject[])
      .map(({ fieldsV1 }) => JSON.stringify(fieldsV1))
      .filter((fields) => fields.includes('f:caBundle'));
    expect(owned).toHaveLength(1);
    expect(owned[0]).not.toContain('f:rules');

    expect(await install()).toBe('written');
    expect(stated(await configuration())).toEqual(stated(before));
  });

  it('meet a conflict where somebody writes in between, and are in place after the next run', async () => {
    await wipe();
    const meddling = portsOf(healCaBundle, ports);
    const outcome = await healCaBundle.handler(wake, {
      ...meddling,
      cluster: {
        ...meddling.cluster,
        async patch(target, body, options) {
          const marked: JsonObject = { metadata: { annotations: { 'example.com/at': 'now' } } };
          await cluster.patch(target, { type: 'merge', body: marked });
          return meddling.cluster.patch(target, body, options);
        },
      },
    });
    expect(outcome.kind).toBe('conflict');
    expect(await heal()).toEqual({ kind: 'done' });
    expect(bundlesOf(await configuration()).map(spelled)).toEqual(Array(2).fill(await wanted()));
  });

  it('let an answer through that is neither yes nor conflict', async () => {
    await wipe();
    const given = portsOf(healCaBundle, ports);
    const failing = { ...given.cluster, patch: () => Promise.reject(new Error('forbidden')) };
    await expect(healCaBundle.handler(wake, { ...given, cluster: failing })).rejects.toThrow(
      'forbidden',
    );
    await heal();
  });

  it('rotate, CA and all, under calls of which none is refused', async () => {
    for (const replica of replicas) replica.run();
    await vi.waitFor(async () => expect(await create()).toBe('written'), soon);
    load = startLoad();
    const first = contentsOf(await secret()).ca;
    await vi.waitFor(async () => {
      expect(contentsOf(await secret()).ca).not.toBe(first);
    }, patiently);
    await steady();
    expect(load.refused()).toEqual([]);
    expect(load.count()).toBeGreaterThan(100);
  }, 150_000);

  it('heal after an installer wiped the bundle, with one write', async () => {
    await load.stop();
    await steady();
    const before = await configuration();
    await wipe();
    await vi.waitFor(async () => {
      expect(bundlesOf(await configuration()).every((bundle) => bundle !== '')).toBe(true);
    }, soon);
    const after = await configuration();
    // The installer's write, and ours.
    expect(after.metadata['generation']).toBe(Number(before.metadata['generation']) + 2);
    expect(stated(after)).toEqual(withBundle(stated(before), await wanted()));
    await vi.waitFor(async () => expect(await create()).toBe('written'), soon);
  }, 150_000);

  it('start anew after the Secret was deleted by hand, under calls of which none is refused', async () => {
    await steady();
    load = startLoad();
    const before = contentsOf(await secret()).ca;
    await cluster.delete(secretPlace());
    await vi.waitFor(async () => {
      const { ca } = contentsOf(await secret());
      expect(ca).not.toBe(before);
      expect(replicas.map((replica) => replica.current()?.authorities)).toEqual(
        [ca, ca].map((each) => bundleOf(each)),
      );
      expect(bundlesOf(await configuration()).map(spelled)).toEqual(
        [ca, ca].map((each) => bundleOf(each)),
      );
    }, patiently);
    expect(load.refused()).toEqual([]);
  }, 150_000);
});

const wake = { kind: 'period', function: 'heal-ca-bundle' } as const;
const heal = async () => healCaBundle.handler(wake, portsOf(healCaBundle, ports));
const secretPlace = () => ({ kind: secrets, namespace, name: certificatesSecret });

/** As an installer that applies server-side, and forces nothing. */
async function install(): Promise<string> {
  const object = configurationFor(replicas, namespace);
  return (await cluster.apply(ofMutating, object, { fieldManager: 'installer' })).kind;
}

function configurationFor(replicas: readonly RealReplica[], namespace: string): KubeObject {
  const base = mutatingConfiguration();
  const [first, second] = base['webhooks'] as JsonObject[];
  const entries = [first, second].map((entry, index) => ({
    ...entry,
    clientConfig: { url: `https://127.0.0.1:${replicas[index]?.port}/` },
    rules: [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: 5,
  }));
  return { ...base, webhooks: entries };
}

type Load = { count(): number; refused(): readonly string[]; stop(): Promise<void> };

/** Creates, one after the other, of which each is reviewed by both replicas. */
function startLoad(): Load {
  const stopped = new AbortController();
  const refused: string[] = [];
  let count = 0;
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const answer = await create();
      count += 1;
      if (answer !== 'written') refused.push(answer);
      await pause(10);
    }
  })();
  return {
    count: () => count,
    refused: () => refused,
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

async function create(): Promise<string> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'asked' } };
  const write = await cluster
    .create(configMaps, object, { dryRun: true })
    .catch((cause: unknown) => ({ kind: String(cause) }));
  return write.kind;
}

async function configuration(): Promise<KubeObject> {
  const found = await cluster.find(ofMutating);
  if (found === undefined) throw new Error('there is no configuration');
  return found;
}

async function secret(): Promise<KubeObject> {
  const found = await cluster.find(secretPlace());
  if (found === undefined) throw new Error('there is no Secret');
  return found;
}

/** As an installer does it that applies its own manifest again. */
async function wipe(): Promise<void> {
  await vi.waitFor(async () => {
    const found = await configuration();
    const write = await cluster.replace(ofMutating, { ...withBundle(found, '') } as KubeObject);
    expect(write.kind).toBe('written');
  }, soon);
}

/** Just rotated, so that nothing rotates for the next seconds. */
async function steady(): Promise<void> {
  await vi.waitFor(async () => {
    const found = await secret();
    const { old, next, ca, leaf } = contentsOf(found);
    const leftMs = (certificate: string) =>
      (certificates.read(certificate)?.notAfter.getTime() ?? 0) - Date.now();
    const hasTime = leftMs(ca) > 25_000 && leftMs(leaf) > 16_000;
    expect({ old, next, hasTime }).toEqual({ old: '', next: '', hasTime: true });
    expect(bundlesOf(await configuration()).map(spelled)).toEqual(
      [ca, ca].map((each) => bundleOf(each)),
    );
  }, patiently);
}

async function wanted(): Promise<string> {
  return authoritiesOf(contentsOf(await secret()));
}

function spelled(bundle: string): string {
  return bundleOf(fromBase64(bundle));
}

function stated({ metadata, ...rest }: KubeObject): JsonObject {
  const { resourceVersion: _, generation: __, managedFields: ___, ...others } = metadata;
  return { ...rest, metadata: others };
}

function withBundle(object: JsonObject, bundle: string): JsonObject {
  const webhooks = (object['webhooks'] as JsonObject[]).map((webhook) => {
    const { caBundle: _, ...clientConfig } = webhook['clientConfig'] as JsonObject;
    return {
      ...webhook,
      clientConfig: bundle === '' ? clientConfig : { ...clientConfig, caBundle: toBase64(bundle) },
    };
  });
  return { ...object, webhooks };
}

async function listed(kind: typeof leases): Promise<number> {
  const found: KubeObject[] = [];
  for await (const object of cluster.list(kind, { namespace })) found.push(object);
  return found.length;
}
