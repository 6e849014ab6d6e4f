import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import replicatePullSecret from '#functions/pod-bootstrap/replicate-pull-secret.ts';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import {
  clusterTrustBundles,
  configMaps,
  type Kind,
  namespaces,
  nodes,
  secrets,
} from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import { featureKey } from '#shared/domain/pod-bootstrap/feature.ts';
import { replicaOf } from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import { sha256 } from '#shared/domain/pod-bootstrap/sha-256.ts';
import type { Scope } from '#shared/domain/watched.ts';
import type { Ports } from '#shared/ports.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { wire } from '#shared/runtime/wire.ts';
import { bundleOf, mapTo } from '#test/support/boot-document.ts';
import { rules } from '#test/support/image-trust/judging.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import {
  documentMap,
  home,
  namespaceOf,
  optOut,
  pullSecret,
  secretName,
} from '#test/support/pull-secret.ts';
import { mapChanged, reconcileBy, running } from '#test/support/running.ts';
import { until } from '#test/support/until.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
}, 30_000);
afterAll(() => fresh.drop());

type Read = {
  readonly what: string;
  readonly kind: Kind;
  readonly scope?: Scope;
  /** As the cluster has it once this was said. */
  object(said: string): KubeObject;
  said(ports: Ports): Promise<unknown>;
  readonly as?: (said: string) => unknown;
};

const labelled = (kind: string) => (tier: string) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'a', uid: `${kind}-a`, labels: { tier, of: 'mirror' } },
});
const mirrored = { matchLabels: { of: 'mirror' } };
const documentScope: Scope = {
  kind: configMaps,
  namespace: 'kyma-system',
  fields: 'metadata.name=rt-bootstrapper-config',
};

const reads: readonly Read[] = [
  {
    what: 'a namespace',
    kind: namespaces,
    object: labelled('Namespace'),
    said: async (ports) => (await ports.namespaces.find('a'))?.labels['tier'],
  },
  {
    what: 'namespaces by their labels',
    kind: namespaces,
    object: labelled('Namespace'),
    said: async (ports) => (await ports.namespaces.list(mirrored))[0]?.labels['tier'],
  },
  {
    what: 'nodes by their labels',
    kind: nodes,
    object: labelled('Node'),
    said: async (ports) => (await ports.nodes.list(mirrored))[0]?.labels['tier'],
  },
  {
    what: 'the document of pod bootstrap',
    kind: configMaps,
    scope: documentScope,
    object: mapTo,
    said: async (ports) => (await ports.bootstrapDocument.current())?.overrides['a.example'],
  },
  {
    what: 'a trust bundle',
    kind: clusterTrustBundles,
    object: (said) => bundleOf('roots', said),
    said: async (ports) => {
      const bundle = await ports.bootstrapDocument.trustBundle('roots');
      return bundle.kind === 'present' ? bundle.hash : bundle.kind;
    },
    as: sha256,
  },
  {
    what: 'by which names images are judged',
    kind: configMaps,
    scope: documentScope,
    object: (said) => mapTo(`${said}.example`),
    async said({ images }) {
      const asked = ['old', 'one', 'two', 'three'].map((said) => `${said}.example/team/app:1`);
      const { signal } = new AbortController();
      const by = { ...rules, allowed: ['a.example/team'] };
      const found = await images.recall(asked, { rules: by, isDryRun: false, signal });
      return found.find(({ judgement }) => judgement.kind === 'allowed')?.image.split('.')[0];
    },
  },
];

let clusters = 0;

/** A process that finds something in the mirror, beside a forwarder of whose commits nobody is told. */
async function beside(
  { kind, scope, object }: Pick<Read, 'kind' | 'scope' | 'object'>,
  isListening: boolean,
) {
  const cluster = await fakeCluster();
  const sql = postgres(fresh.url, { max: 1, onnotice: () => undefined });
  clusters += 1;
  const name = `told-of-nothing-${clusters}`;
  const writer = mirrorWriter(sql, name, () => false);
  const write = (said: string) => writer.put(kind, object(said), [], scope);
  await write('old');
  const capabilities = ['pod-bootstrap', 'image-trust'];
  const wiring = wire({
    settings: settingsFixed({ installation: { cluster: name }, capabilities }),
    conditions: conditionsRecorded(),
    measures: measuresRecorded(),
    login: { kind: 'kubeconfig-text', text: cluster.kubeconfig },
    databaseUrl: fresh.url,
    isListening,
  });
  onTestFinished(async () => {
    await wiring.close();
    await sql.end({ timeout: 0 });
    await cluster.close();
  });
  return { cluster, wiring, write };
}

describe.each([
  ['a worker', true],
  ['a function of Knative or Lambda', false],
])('%s that is woken', (_, isListening) => {
  it.each(reads)('reads $what as the commit left it that woke it', async (read) => {
    const { said, as = (text) => text } = read;
    const { wiring, write } = await beside(read, isListening);
    const ports = wiring.portsOf(reconcileBy(() => done));
    await until(async () => (await said(ports)) === as('old'));
    for (const next of ['one', 'two', 'three']) {
      await write(next);
      expect(await said(ports)).toBe(as(next));
    }
  });

  it('takes credentials away from the namespace that the document has just set free', async () => {
    const forced = { enforced: { 'team-a': [featureKey('add-img-pull-secret')] } };
    const { metadata, ...map } = documentMap();
    const object = (said: string) => ({
      ...(said === 'old' ? documentMap(forced) : map),
      metadata: { ...metadata, uid: 'uid-of-the-map' },
    });
    const document = { kind: configMaps, scope: documentScope, object };
    const { cluster, wiring, write } = await beside(document, isListening);
    const source = pullSecret(home, 'first');
    cluster.objects.create(namespaces, namespaceOf('team-a', optOut));
    cluster.objects.create(namespaces, namespaceOf(home));
    cluster.objects.create(configMaps, documentMap());
    for (const secret of [source, replicaOf(source, 'team-a')])
      cluster.objects.create(secrets, secret);
    const ports = wiring.portsOf(replicatePullSecret);
    await until(async () => {
      const known = await ports.bootstrapDocument.current();
      return known?.enforced['team-a'] !== undefined;
    });

    await write('new');
    const woken = { resource: 'namespaces', namespace: '', name: 'team-a', uid: 'any' };
    const outcome = await runOnce(replicatePullSecret, mapChanged(woken), running(ports));
    expect(outcome).toEqual(done);
    const place = { namespace: 'team-a', name: secretName };
    expect(cluster.objects.find(secrets, place)).toBeUndefined();
  });
});
