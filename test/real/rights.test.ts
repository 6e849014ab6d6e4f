import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { forwarderManifests } from '#infra/deploy/queue-roles.ts';
import { type Installer, openInstaller } from '#infra/emulator/dev/install.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { registered } from '#infra/emulator/world/registered.ts';
import { type Ask, asker } from '#shared/adapters/cluster/ask.ts';
import { openSession, type Session } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { type Definition, defineReconcile } from '#shared/define.ts';
import { configMaps, leases, namespaces, secrets, serviceAccounts } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import type { Watch } from '#shared/domain/watch.ts';
import type { Line, Scope, WatchEnd } from '#shared/domain/watched.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { followedBy } from '#shared/runtime/forwarding/followed.ts';
import { objectOf } from '#test/contracts/cluster/place.ts';
import { targetOf } from '#test/contracts/end-to-end/installing.ts';
import { uniqueName } from '#test/contracts/list-watch/place.ts';
import { builtInDefinitions } from '#test/infra/deploy/built-in.ts';
import { planOf } from '#test/infra/deploy/samples.ts';
import { until } from '#test/support/until.ts';

const kube = inject('kube');
const [home, elsewhere] = [uniqueName('rights'), uniqueName('rights')];
const signal = AbortSignal.timeout(60_000);
const secretBytes = Buffer.from('hunter2').toString('base64');

/** Beside what is built in: one Secret in one namespace, and one ConfigMap of which only metadata may be known. */
function watching(name: string, watch: Watch): Definition {
  const said = { capability: 'pod-bootstrap', uses: [], deadlineMs: 1_000, handler: () => done };
  return defineReconcile({ ...said, name, trigger: { watch } } as const);
}
const own = [
  watching('look-at-secret', { of: secrets, namespace: 'installation', name: 'stated' }),
  watching('look-at-map', {
    ...{ of: configMaps, namespace: 'installation', name: 'marked' },
    metadataOnly: true,
  }),
];
const definitions = [...(await builtInDefinitions()), ...own];
const settings = settingsFixed({
  capabilities: ['pod-bootstrap', 'node-affinity', 'image-trust'],
  installation: { namespace: home },
  podBootstrap: {
    configMap: { namespace: home, name: 'document' },
    pullSecret: { namespace: home, name: 'platform' },
  },
}).current();
const followed = followedBy(registered(definitions), settings).map(({ scope }) => scope);
const scopeOfSecret = { kind: secrets, namespace: home, fields: 'metadata.name=stated' };

/** What the rendered forwarder may do, in its own account, which no other role is bound to. */
describe('the forwarder’s own account on a real kube-apiserver', () => {
  const rights = forwarderManifests(planOf({ definitions, settings }), 'postgres').filter((each) =>
    /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(each.kind),
  );
  let admin: Installer;
  let session: Session;
  let stream: ReturnType<typeof openStream>;
  let ask: Ask;

  const make = async (kind: typeof secrets, object: KubeObject) =>
    objectOf(await admin.cluster.create(kind, object));
  const inside = (kind: string, namespace: string, name: string, more: object): KubeObject => ({
    ...{ apiVersion: 'v1', kind, metadata: { name, namespace } },
    ...more,
  });

  beforeAll(async () => {
    admin = await openInstaller({ kind: 'kubeconfig', path: kube.kubeconfig });
    for (const name of [home, elsewhere]) {
      await make(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      for (const secret of ['stated', 'platform', 'another']) {
        await make(secrets, inside('Secret', name, secret, { data: { password: secretBytes } }));
      }
    }
    await make(configMaps, inside('ConfigMap', home, 'marked', { data: { text: 'hunter2' } }));
    await admin.install(rights);
    const token = await admin.token({ namespace: home, name: 'gatehouse-forwarder' });
    session = await openSession({
      ...{ kind: 'direct', server: kube.url, ca: kube.ca },
      by: { token },
    });
    stream = openStream({ session });
    ask = asker(session, { deadlineMs: 10_000, maxAnswerBytes: 1e6, userAgent: 'gatehouse' });
    // The API server hears of roles by a watch of its own.
    await until(async () => (await look(scopeOfSecret)).list === 'page', 10_000);
  });

  afterAll(async () => {
    for (const each of rights) await admin.cluster.delete(targetOf(each));
    session?.close();
    admin?.close();
  });

  /** All that the forwarder asks about a scope, by what the server answers. */
  async function look(scope: Scope, name = 'stated') {
    const at = { namespace: scope.namespace ?? home, name };
    const watch = await watched(scope);
    return {
      list: (await stream.list(scope, { limit: 10, signal })).kind,
      version: (await stream.version(scope, signal)).kind,
      watch: watch.kind,
      find: (await stream.find(scope, at, signal)).kind,
    };
  }

  /** From the beginning, what is there already. */
  async function watched(scope: Scope) {
    const stating = { resourceVersion: undefined, timeoutSeconds: 5, idleMs: 5_000, signal };
    const watch = await stream.watch(scope, stating);
    if (watch.kind !== 'open') return { ...watch, objects: [] };
    const objects: KubeObject[] = [];
    for (let next: readonly Line[] | WatchEnd = []; isBatch(next); next = await watch.next()) {
      objects.push(...next.flatMap((line) => (line.kind === 'change' ? [line.object] : [])));
      if (next.some((line) => line.kind === 'bookmark' && line.isInitialEnd)) break;
    }
    watch.close();
    return { kind: watch.kind, objects };
  }

  it.each(followed.map((scope) => [scopeName(scope), scope] as const))(
    'is enough to follow %s',
    async (_, scope) => {
      const name = /^metadata\.name=(.*)/.exec(scope.fields ?? '')?.[1];
      const answers = await look(scope, name ?? 'any');
      expect(Object.values(answers)).not.toContain('forbidden');
      // Discovery is everybody's; a kind that is not installed is none.
      expect([undefined, scope.kind.resource]).toContain(
        (await stream.served(scope.kind, signal))?.resource,
      );
    },
  );

  it('is enough to know the cluster', async () => {
    expect(await stream.identity(signal)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is given of the Secret that is stated, and of what is marked, nothing but metadata', async () => {
    const narrow = followed.filter(({ fields }) => /stated|platform|marked/.test(fields ?? ''));
    expect(narrow).toHaveLength(3);
    for (const scope of narrow) {
      const listed = await stream.list(scope, { limit: 10, signal });
      const { objects } = await watched(scope);
      const all = [...(listed.kind === 'page' ? listed.objects : []), ...objects];
      expect(all.length).toBeGreaterThanOrEqual(2);
      expect(JSON.stringify(all)).not.toMatch(new RegExp(`hunter2|${secretBytes}`));
    }
  });

  it.each<[string, Scope]>([
    ['by another name', { ...scopeOfSecret, fields: 'metadata.name=another' }],
    ['of a namespace, all of them', { kind: secrets, namespace: home }],
    ['by the stated name in another namespace', { ...scopeOfSecret, namespace: elsewhere }],
    ['by the stated name in all namespaces', { kind: secrets, fields: 'metadata.name=stated' }],
    ['all but the stated one', { ...scopeOfSecret, fields: 'metadata.name!=stated' }],
    ['by a label', { kind: secrets, namespace: home, labels: 'a=b' }],
  ])('may neither list nor watch Secrets %s', async (_, scope) => {
    for (const each of [scope, { ...scope, metadataOnly: true }]) {
      const { list, version, watch } = await look(each);
      expect({ list, version, watch }).toEqual({
        ...{ list: 'forbidden', version: 'forbidden', watch: 'forbidden' },
      });
    }
  });

  const secretPath = (namespace: string, name: string) =>
    `/api/v1/namespaces/${namespace}/secrets/${name}`;

  it.each<[string, Parameters<Ask>[0]['method'], string, number]>([
    ['reads the one that is stated', 'GET', secretPath(home, 'stated'), 200],
    ['does not read another', 'GET', secretPath(home, 'another'), 403],
    ['does not read its name elsewhere', 'GET', secretPath(elsewhere, 'stated'), 403],
    ['does not read what is not there', 'GET', secretPath(home, 'nobody'), 403],
    ['does not delete even that', 'DELETE', secretPath(home, 'stated'), 403],
    ['does not change even that', 'PATCH', secretPath(home, 'stated'), 403],
    ['does not make one', 'POST', secretPath(home, '').slice(0, -1), 403],
    [
      'watches no other by its path',
      'GET',
      `/api/v1/watch${secretPath(home, 'another').slice(7)}`,
      403,
    ],
  ])('%s', async (_, method, path, status) => {
    const body = method === 'POST' || method === 'PATCH' ? { body: {} } : {};
    const contentType = 'application/merge-patch+json';
    const question = { what: 'try', method, path, ...body };
    const answer = await ask(method === 'PATCH' ? { ...question, contentType } : question);
    expect(answer.status).toBe(status);
  });

  it('writes nothing that it watches, and watches nothing that nobody stated', async () => {
    const pod = {
      what: 'try',
      method: 'DELETE',
      path: `/api/v1/namespaces/${home}/pods/x`,
    } as const;
    expect((await ask(pod)).status).toBe(403);
    for (const kind of [configMaps, leases, serviceAccounts]) {
      expect((await look({ kind })).watch).toBe('forbidden');
    }
  });
});

function isBatch(next: readonly Line[] | WatchEnd): next is readonly Line[] {
  return Array.isArray(next);
}
