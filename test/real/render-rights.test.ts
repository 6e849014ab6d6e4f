import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamOf } from '#infra/deploy/manifest.ts';
import { render } from '#infra/deploy/render.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type Wiring, wire } from '#shared/runtime/wire.ts';
import { builtInDefinitions } from '#test/infra/deploy/built-in.ts';
import { planOf } from '#test/infra/deploy/samples.ts';
import { asAccount, asAdmin, type Kubectl } from './knative/kubectl.ts';

const namespace = `gatehouse-rights-${process.pid}`;
const admin = asAdmin();
const definitions = await builtInDefinitions();
const settings = settingsFixed({ installation: { namespace } });
const apply = ['apply', '--server-side', '--force-conflicts', '--field-manager=render', '-f', '-'];
const secret = (name: string) => ['--namespace', namespace, 'secret', name];

const rendered = render({
  target: 'kubernetes',
  plan: planOf({ definitions, settings: settings.current() }),
  separate: true,
  database: 'none',
  host: undefined,
});
const applied = rendered.kind === 'rendered' ? rendered.manifests.filter(isTried) : [];

function isTried({ kind }: KubeObject): boolean {
  return /^(Namespace|ServiceAccount|.*Role|.*RoleBinding|.*WebhookConfiguration)$/.test(kind);
}

let account: Kubectl;
let wiring: Wiring;

beforeAll(() => {
  admin.run(apply, streamOf(applied));
  const other = ['create', 'secret', 'generic', 'somebody-elses', '--from-literal=a=b'];
  admin.run([...other, '--namespace', namespace]);
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: namespace, labels: { 'worker.gardener.cloud/pool': 'cpu-worker-0' } },
  };
  admin.run(['apply', '-f', '-'], JSON.stringify(node));
  account = asAccount(namespace, 'gatehouse-admission');
  wiring = wire({
    settings,
    conditions: conditionsRecorded(),
    measures: measuresRecorded(),
    login: { kind: 'kubeconfig', path: account.kubeconfig },
  });
});

afterAll(async () => {
  await wiring.close();
  admin.run(['delete', 'node', namespace]);
  admin.run(['delete', '--ignore-not-found', '--wait=false', '-f', '-'], streamOf(applied));
});

const reconciles = definitions.filter(
  (each): each is ReconcileFunction => each.shape === 'reconcile',
);

describe('with the rendered rights alone', () => {
  it.each(reconciles.map((each) => [each.name, each] as const))('%s runs', async (name, each) => {
    const outcome = await each.handler({ kind: 'period', function: name }, wiring.portsOf(each));

    expect(['done', 'later']).toContain(outcome.kind);
  });

  it('the certificate is issued, and its CA stands in the webhook configuration', async () => {
    for (let round = 0; round < 4; round += 1) {
      for (const each of reconciles.filter(({ capability }) => capability === 'certificates')) {
        await each.handler({ kind: 'period', function: each.name }, wiring.portsOf(each));
      }
    }
    const name = 'kim-snatch-mutating-webhook-configuration';
    const bundle = ['-o', 'jsonpath={.webhooks[0].clientConfig.caBundle}'];

    expect(admin.run(['get', 'mutatingwebhookconfiguration', name, ...bundle])).not.toBe('');
  });

  it('a replica keeps its Lease, and an Event is written', () => {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'gatehouse-admission-0', namespace },
    };
    account.run(['apply', '--server-side', '-f', '-'], JSON.stringify(lease));
    account.run(['delete', 'lease', 'gatehouse-admission-0', '--namespace', namespace]);

    const rights = ['auth', 'can-i', 'create', 'events.events.k8s.io', '--namespace', 'default'];
    expect(account.run(rights)).toBe('yes\n');
  });

  it.each([
    ['another Secret', ['get', ...secret('somebody-elses')]],
    ['Secrets as a list', ['get', 'secrets', '--namespace', namespace]],
    ['the end of its own Secret', ['delete', ...secret('gatehouse-certificates')]],
    ['Secrets of another namespace', ['get', 'secrets', '--namespace', 'default']],
    ['ConfigMaps', ['get', 'configmaps', '--namespace', namespace]],
    ['Leases of another namespace', ['get', 'leases', '--namespace', 'kube-system']],
    ['roles', ['get', 'clusterroles']],
    ['webhook configurations as a list', ['get', 'mutatingwebhookconfigurations']],
    ['somebody else’s webhook configuration', ['get', 'mutatingwebhookconfiguration', 'other']],
    ['the end of a pod', ['delete', 'pod', 'x', '--namespace', namespace]],
    ['a label on a node', ['label', 'node', namespace, 'a=b']],
  ])('nobody is given %s', (_, args) => {
    expect(account.try(args)).toMatchObject({
      ok: false,
      said: expect.stringMatching(/is forbidden|Forbidden/),
    });
  });
});
