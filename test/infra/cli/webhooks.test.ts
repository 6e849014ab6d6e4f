import { describe, expect, it } from 'vitest';
import { painter } from '#infra/cli/output.ts';
import { run } from '#infra/cli/webhooks.ts';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { labels, manager } from '#shared/domain/installation.ts';
import type { Json } from '#shared/domain/json.ts';
import { type Kind, mutatingWebhooks, pods, validatingWebhooks } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { readEnvironment } from '#shared/runtime/config.ts';

const serviceAccounts: Kind = { ...pods, kind: 'ServiceAccount', resource: 'serviceaccounts' };
const own = { name: 'ours', expression: 'object.metadata.name != "free"' };

/** Fails closed, with nobody behind it. */
function configuration(kind: string, name: string, conditions: Json): KubeObject {
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['pods'],
    operations: ['CREATE'],
  };
  const webhook = {
    name: `pods.${kind.toLowerCase().slice(0, 6)}.gatehouse.io`,
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [rule],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    matchConditions: conditions,
  };
  const metadata = { name, labels: { [labels.managedBy]: manager } };
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata, webhooks: [webhook] };
}

const pod = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'app', image: 'nginx' }] },
});

async function opened() {
  await using stack = new AsyncDisposableStack();
  const emulated = await emulatedCluster();
  stack.defer(() => emulated.close());
  const login = { kind: 'kubeconfig-text', text: emulated.tokenKubeconfig } as const;
  const cluster = await openCluster({ login });
  stack.defer(() => cluster.close());
  const metadata = { name: 'default', namespace: 'default' };
  await cluster.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const said: string[] = [];
  const terminal = {
    print: (text: string) => void said.push(text),
    complain: () => {},
    read: async () => '',
    paint: painter(false),
  };
  const world = { terminal, environment: readEnvironment({}), fail: () => {} };
  const turn = (to: 'on' | 'off' | 'status') => run(cluster, to, { world, output: 'text' });
  const all = stack.move();
  return { cluster, turn, said, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe('gatehouse webhooks', () => {
  it('lets pods in while nobody of us is there, and shuts the door again', async () => {
    await using world = await opened();
    const { cluster, turn, said } = world;
    const mutating = configuration('MutatingWebhookConfiguration', 'gatehouse', []);
    const validating = configuration('ValidatingWebhookConfiguration', 'gatehouse', [own]);
    await cluster.create(mutatingWebhooks, mutating);
    await cluster.create(validatingWebhooks, validating);
    await expect(cluster.create(pods, pod('one'))).rejects.toThrow('failed calling webhook');

    await turn('off');
    expect(said.at(-1)).toMatch(/^(off {2}\S+ {2}\(.*\)\n){2}$/);
    expect(await cluster.create(pods, pod('two'))).toMatchObject({ kind: 'written' });
    await turn('off');

    await turn('on');
    expect(said.at(-1)).toMatch(/^(on {3}\S+ {2}\(.*\)\n){2}$/);
    await expect(cluster.create(pods, pod('three'))).rejects.toThrow('failed calling webhook');
    const found = await cluster.find({ kind: validatingWebhooks, name: 'gatehouse' });
    expect(found).toMatchObject({ webhooks: [{ matchConditions: [own] }] });
  });

  it('leaves what is not ours, and says so', async () => {
    await using world = await opened();
    const foreign = configuration('MutatingWebhookConfiguration', 'gatehouse', []);
    await world.cluster.create(mutatingWebhooks, { ...foreign, metadata: { name: 'gatehouse' } });
    await expect(world.turn('off')).rejects.toThrow('there are no webhooks of Gatehouse');
  });
});
