import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { isReady } from '#infra/emulator/controllers/shapes/pod.ts';
import { mutatingWebhooks, namespaces, pods, validatingWebhooks } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { refusalOf } from '#test/contracts/end-to-end/image-trust-stage.ts';
import {
  openSigningWorld,
  type SigningWorld,
} from '#test/contracts/end-to-end/image-trust-world.ts';
import { namespaceIn, openPlace, podOf } from '#test/contracts/end-to-end/place.ts';
import { startKube } from './kube/start.ts';
import { openSite, type Site } from './recovery/site.ts';

const mode = 'namespaces.warden.kyma-project.io/validate';
const status = 'pods.warden.kyma-project.io/validate';
const unreachable = 'failed calling webhook';
const patiently = { timeout: 40_000, interval: 200 };
const programs = { admission: 2, worker: 1, forwarder: 1, postgres: 1 };

const kube = await startKube({ serviceAccounts: true });
const place = await openPlace(kube);
const { cluster, kit, controllers } = place;
let world: SigningWorld;
let site: Site;
let guarded: Readonly<Record<'system' | 'enabled' | 'user', string>>;
let plain: string;

beforeAll(async () => {
  world = await openSigningWorld();
  const gun = `${world.registry}/team/app`;
  await world.sign(gun, { '1': world.push(`${gun}:1`, 'signed') });
  world.push(`${gun}:unsigned`, 'unsigned');
  const notaryUrl = { 'namespaces.warden.kyma-project.io/notary-url': world.notary };
  guarded = {
    system: await namespaceIn(place, { [mode]: 'system' }),
    enabled: await namespaceIn(place, { [mode]: 'enabled' }),
    user: await namespaceIn(place, { [mode]: 'user' }),
  };
  plain = await namespaceIn(place);
  await kit.merge(namespaces, undefined, guarded.user, { metadata: { annotations: notaryUrl } });
  site = await openSite(place, {
    capabilities: ['image-trust'],
    certificates: { settle: place.settle },
    worker: { graceSeconds: 1 },
    imageTrust: world.settings,
  });
  // As trusting as any: what is left out of the entries is left out whatever its labels say.
  for (const name of ours()) {
    await kit.merge(namespaces, undefined, name, { metadata: { labels: { [mode]: 'system' } } });
  }
}, 120_000);

afterAll(async () => {
  await site?.close();
  await world?.close();
  place.close();
  await kube.stop();
});

const ours = () => ['kube-system', site.namespace, site.database];

const image = (tag: string) => `${world.registry}/team/app:${tag}`;

/** Why it is not taken; the pod where it is. */
async function created(namespace: string, tag = '1'): Promise<KubeObject | string> {
  const name = `try-${randomBytes(4).toString('hex')}`;
  const pod = podOf(namespace, name, { containers: [{ name: 'app', image: image(tag) }] });
  const refusal = await refusalOf(cluster.create(pods, pod));
  return refusal ?? (await cluster.find({ kind: pods, namespace, name })) ?? 'it is not there';
}

const isTaken = (answer: KubeObject | string) => typeof answer !== 'string';

async function answersWell(): Promise<void> {
  expect(await created(guarded.system)).toMatchObject({
    metadata: { labels: { [status]: 'success' } },
    spec: { containers: [{ image: expect.stringContaining('@sha256:') }] },
  });
  for (const namespace of Object.values(guarded)) {
    expect(await created(namespace, 'unsigned')).toContain('it is not signed');
  }
}

async function runningPrograms(): Promise<Record<string, number>> {
  return Object.fromEntries(
    Object.keys(programs).map((component) => [component, site.node.running(component).length]),
  );
}

/** Of both namespaces. */
async function ownPods(): Promise<readonly Pod[]> {
  const found = await Promise.all(
    [site.namespace, site.database].map((namespace) => kit.all<Pod>(pods, namespace)),
  );
  return found.flat().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** As they stand in the cluster, without what counts writes. */
async function entries(): Promise<readonly unknown[]> {
  const found = await Promise.all(
    [mutatingWebhooks, validatingWebhooks].map((kind) => cluster.find({ kind, name: 'gatehouse' })),
  );
  return found.map((each) => {
    const {
      resourceVersion: _,
      generation: __,
      managedFields: ___,
      ...metadata
    } = each?.metadata ?? {};
    return { ...each, metadata };
  });
}

async function webhooks(to: 'on' | 'off'): Promise<string> {
  const main = join(import.meta.dirname, '../../infra/cli/main.ts');
  const args = [main, 'webhooks', to, '--kubeconfig', kube.kubeconfig];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

describe('an installation whose webhooks fail closed', () => {
  it('comes up behind them', async () => {
    await vi.waitFor(async () => expect(await runningPrograms()).toEqual(programs), patiently);
    await vi.waitFor(answersWell, patiently);
  }, 90_000);

  it('is made anew when all of it has died, while its own namespaces trust nobody’s images', async () => {
    const before = await ownPods();
    // What runs them has to be fetched first: so long it is gone.
    for (const each of ['gatehouse:*', 'postgres:*']) {
      controllers.faults.fail({ kind: 'pull', image: each });
    }
    for (const { metadata } of before) {
      await cluster.delete({ kind: pods, namespace: metadata.namespace, name: metadata.name });
    }
    await vi.waitFor(() => expect(site.node.running()).toEqual([]), patiently);
    await vi.waitFor(async () => {
      const uids = new Set(before.map(({ metadata }) => metadata.uid));
      const now = await ownPods();
      expect(now.filter(({ metadata }) => uids.has(metadata.uid))).toEqual([]);
      expect(now).toHaveLength(before.length);
      expect(now.filter(isReady)).toEqual([]);
    }, patiently);
  });

  it('stops no pod meanwhile but those of who trusts it', async () => {
    // What it wants of its own namespace's pods, and that they are made, the test before has seen.
    for (const namespace of ['kube-system', site.database, plain]) {
      expect(await created(namespace)).toMatchObject({ kind: 'Pod' });
    }
    for (const namespace of Object.values(guarded)) {
      expect(await created(namespace)).toContain(unreachable);
    }
  });

  it('can be switched off while nothing of it is there, and on again as it was', async () => {
    const before = await entries();
    expect(before.flatMap(failing)).not.toEqual([]);
    expect(await webhooks('off')).toMatch(/^(off .*\n)+$/);
    // The API server learns of it a moment later.
    await vi.waitFor(async () => {
      for (const namespace of Object.values(guarded)) {
        expect(isTaken(await created(namespace, 'unsigned'))).toBe(true);
      }
    }, patiently);
    expect(await webhooks('on')).toMatch(/^(on .*\n)+$/);
    expect(await entries()).toEqual(before);
    await vi.waitFor(async () => {
      for (const namespace of Object.values(guarded)) {
        expect(await created(namespace)).toContain(unreachable);
      }
    }, patiently);
  });

  it('comes back by itself, database and all, and judges what came in meanwhile', async () => {
    controllers.faults.heal();
    await vi.waitFor(answersWell, patiently);
    await vi.waitFor(async () => {
      expect(await runningPrograms()).toEqual(programs);
      expect((await ownPods()).every(isReady)).toBe(true);
      const unsigned = (await kit.all<Pod>(pods, guarded.system)).filter(
        ({ spec }) => spec.containers[0]?.image === image('unsigned'),
      );
      expect(unsigned).not.toEqual([]);
      expect(unsigned.map(({ metadata }) => metadata.labels?.[status])).toEqual(
        unsigned.map(() => 'failed'),
      );
    }, patiently);
  }, 90_000);

  it('believes the root that it had come to know before, and no other', async () => {
    const gun = `${world.registry}/team/app`;
    const owner = await world.anotherRoot(gun);
    await world.sign(gun, { '1': world.push(`${gun}:1`, 'another') }, { owner });
    await vi.waitFor(
      async () => expect(await created(guarded.system)).toContain('root'),
      patiently,
    );
  });
});

function failing(configuration: unknown): readonly string[] {
  const { webhooks } = configuration as {
    readonly webhooks?: readonly { readonly name: string; readonly failurePolicy: string }[];
  };
  return (webhooks ?? []).flatMap(({ name, failurePolicy }) =>
    failurePolicy === 'Fail' ? [name] : [],
  );
}
