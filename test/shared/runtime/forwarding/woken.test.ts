import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import healCaBundle from '#functions/certificates/heal-ca-bundle.ts';
import rotateCertificate from '#functions/certificates/rotate-certificate.ts';
import followPool from '#functions/node-affinity/follow-pool.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { registered } from '#infra/emulator/world/registered.ts';
import type { Definition } from '#shared/define.ts';
import { certificatesSecret } from '#shared/domain/installation.ts';
import {
  apiVersion,
  type Kind,
  mutatingWebhooks,
  nodes,
  secrets,
  validatingWebhooks,
} from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { followedBy } from '#shared/runtime/forwarding/followed.ts';
import { type Forwarding, forwarding, until } from '#test/support/forwarding.ts';

const namespace = 'gatehouse-system';
const labels = { 'app.kubernetes.io/managed-by': 'gatehouse' };
const definitions: readonly Definition[] = [followPool, healCaBundle, rotateCertificate];

function object(kind: Kind, name: string, more: object = {}): KubeObject {
  const place = kind.namespaced ? { namespace } : {};
  return {
    apiVersion: apiVersion(kind),
    kind: kind.kind,
    metadata: { name, labels, ...place },
    ...more,
  };
}

/** What periods did before there was a forwarder. */
describe('by what happens, and not only by time,', () => {
  let world: Forwarding;
  beforeEach(async () => {
    world = await forwarding();
    const settings = settingsFixed({
      capabilities: ['node-affinity'],
      installation: { namespace },
    });
    const one = await world.start([]);
    await one.followAll(followedBy(registered(definitions), settings.current()));
    const watches = () => one.kinds().filter((kind) => kind === 'watching').length;
    await until('it follows nodes, two kinds of webhooks and a Secret', () => watches() === 4);
    await world.messages();
  });
  afterEach(() => world.close());

  async function wokenBy(change: () => unknown): Promise<readonly string[]> {
    const before = world.rows().length;
    change();
    await until('it is mirrored', () => world.rows().length > before);
    return (await world.messages()).map((each) => each.function).toSorted();
  }

  it.each([
    ['a node', nodes, 'worker-1', ['follow-pool']],
    ['a mutating webhook', mutatingWebhooks, 'gatehouse', ['heal-ca-bundle']],
    ['a validating webhook', validatingWebhooks, 'gatehouse', ['heal-ca-bundle']],
    [
      'the certificate’s Secret',
      secrets,
      certificatesSecret,
      ['heal-ca-bundle', 'rotate-certificate'],
    ],
  ] as const)('%s wakes whoever looks after it', async (_, kind, name, expected) => {
    const made = object(kind, name);
    expect(await wokenBy(() => world.cluster.objects.create(kind, made))).toEqual(expected);
  });

  it('a CA bundle that an installer wiped wakes who heals it', async () => {
    const clientConfig = { url: 'https://localhost', caBundle: 'Z29vZA==' };
    const hooks = { webhooks: [{ name: 'pods.gatehouse.io', clientConfig }] };
    world.cluster.objects.create(mutatingWebhooks, object(mutatingWebhooks, 'gatehouse', hooks));
    await until('it is mirrored', () => world.rows().length === 1);
    await world.messages();
    const version = () => world.rows()[0]?.resourceVersion;
    const before = version();
    const wiped = [{ name: 'pods.gatehouse.io', clientConfig: { ...clientConfig, caBundle: '' } }];
    world.cluster.objects.patch(mutatingWebhooks, { name: 'gatehouse' }, { webhooks: wiped });
    await until('it is mirrored', () => version() !== before);

    expect((await world.messages()).map((each) => each.function)).toEqual(['heal-ca-bundle']);
  });
});
