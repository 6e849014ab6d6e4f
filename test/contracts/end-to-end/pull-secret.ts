import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import replicatePullSecret from '#functions/pod-bootstrap/replicate-pull-secret.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { type Service, startService } from '#infra/emulator/world/real/serving.ts';
import type { Definition } from '#shared/define.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configMaps, namespaces, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { featureKey } from '#shared/domain/pod-bootstrap/feature.ts';
import { planOf } from '#test/infra/deploy/samples.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import { credentialsOf, namespaceOf, optOut } from '#test/support/pull-secret.ts';
import { logRecorded } from '#test/support/running.ts';
import { eventsIn } from '../cluster/events-in.ts';
import { objectOf } from '../cluster/place.ts';
import type { Place } from './place.ts';
import { type Account, renderedAccount } from './rendered-account.ts';
import { seenRows, tracesOf } from './secret-traces.ts';

const definitions: readonly Definition[] = [replicatePullSecret];

export type Flood = { readonly namespaces: number; readonly withinMs: number };

/** One story, in order: forwarder and worker as `serve` has them, and namespaces by the hundred. */
export function pullSecretContract(whose: string, place: Place, flood: Flood): void {
  const { cluster } = place;
  const patiently = { timeout: flood.withinMs, interval: 100 };

  describe(`the pull secret on ${whose}`, { timeout: flood.withinMs + 30_000 }, () => {
    const mark = `end-${randomBytes(4).toString('hex')}`;
    const [home, name] = [`${mark}-home`, `${mark}-credentials`];
    const teams = Array.from({ length: flood.namespaces }, (_, at) => `${mark}-team-${at}`);
    const [first = '', second = '', third = '', fourth = ''] = teams;
    const log = logRecorded();
    const texts: string[] = [];
    let database: FreshDatabase;
    let service: Service;
    let account: Account;

    const at = (namespace: string) => ({ kind: secrets, namespace, name });
    const found = (namespace: string) => cluster.find(at(namespace));
    const textOf = (turn: string) => {
      const auth = Buffer.from(`robot:${mark}-${turn}`).toString('base64');
      return JSON.stringify({ auths: { 'registry.test': { auth } } });
    };
    const secretIn = (namespace: string, turn: string, more: JsonObject = {}): KubeObject => {
      const text = textOf(turn);
      texts.push(text);
      // As `kubectl apply` and other deployers leave it: the bytes, or a digest of them, stand in the metadata as well.
      const annotations = {
        'kubectl.kubernetes.io/last-applied-configuration': text,
        'kapp.k14s.io/original': text,
        'reconcile.external-secrets.io/data-hash': createHash('sha256').update(text).digest('hex'),
      };
      return {
        ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/dockerconfigjson' },
        metadata: { name, namespace, annotations },
        data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
        ...more,
      };
    };
    const create = async (object: KubeObject) =>
      objectOf(await cluster.create(object.kind === 'Secret' ? secrets : namespaces, object));
    const write = async (secret: KubeObject) => {
      const { data = {}, metadata } = secret;
      const { annotations = {} } = metadata;
      const body = { metadata: { annotations }, data };
      return objectOf(await cluster.patch(at(metadata.namespace ?? ''), { type: 'merge', body }));
    };
    const annotate = async (
      namespace: string,
      annotations: Readonly<Record<string, string | null>>,
    ) =>
      cluster.patch(
        { kind: namespaces, name: namespace },
        { type: 'merge', body: { metadata: { annotations } } },
      );
    const spelled = (turn: string) => Buffer.from(textOf(turn)).toString('base64');
    const holds = async (namespace: string, turn: string) =>
      credentialsOf(await found(namespace)) === spelled(turn);
    /** By their namespaces: one call, however many there are. */
    const everywhere = async () => {
      const held = new Map<string | undefined, unknown>();
      for await (const each of cluster.list(secrets, { fields: `metadata.name=${name}` })) {
        held.set(each.metadata.namespace, credentialsOf(each));
      }
      return held;
    };
    const all = async (turn: string, but: readonly string[] = []) => {
      const now = await everywhere();
      const lacking = teams.filter((team) => now.get(team) !== spelled(turn));
      expect(lacking.filter((team) => !but.includes(team))).toEqual([]);
    };

    beforeAll(async () => {
      database = await freshDatabase();
      await seenRows(database.url);
      await create(namespaceOf(home));
      await create(secretIn(home, 'first'));
      const settings = settingsFixed({
        capabilities: ['pod-bootstrap'],
        installation: { cluster: mark, namespace: home },
        server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
        podBootstrap: {
          configMap: { namespace: home },
          pullSecret: { namespace: home, name },
          document: { overrides: {}, availableFeatures: [featureKey('add-img-pull-secret')] },
        },
      });
      const plan = planOf({ definitions, settings: settings.current() });
      account = await renderedAccount(place, plan);
      const { login } = account;
      service = await startService(definitions, {
        login,
        databaseUrl: database.url,
        settings,
        log,
      });
    }, 60_000);

    afterAll(async () => {
      await service?.stop();
      await account?.remove();
      for (const each of [home, ...teams]) await cluster.delete({ kind: namespaces, name: each });
      await database?.drop();
    }, 120_000);

    it('is in every namespace of a flood of them', async () => {
      for (const team of teams) await create(namespaceOf(team));
      await vi.waitFor(() => all('first'), patiently);
      await vi.waitFor(
        async () => expect(await holds('kube-system', 'first')).toBe(true),
        patiently,
      );
    });

    it('follows its rotation into all of them', async () => {
      await write(secretIn(home, 'second'));
      await vi.waitFor(() => all('second'), patiently);
    });

    it('B27 heals what was edited and what was deleted, at once', async () => {
      await write(secretIn(first, 'mine'));
      await cluster.delete(at(second));
      await vi.waitFor(async () => {
        expect([await holds(first, 'second'), await holds(second, 'second')]).toEqual([true, true]);
      }, patiently);
    });

    it('leaves a namespace that opts out, and comes back to it', async () => {
      await annotate(first, optOut);
      await vi.waitFor(async () => expect(await found(first)).toBeUndefined(), patiently);
      await annotate(first, { [Object.keys(optOut)[0] ?? '']: null });
      await vi.waitFor(async () => expect(await holds(first, 'second')).toBe(true), patiently);
    });

    it('B27 adopts a stranger’s and says so, and leaves one of another type', async () => {
      await annotate(third, optOut);
      await annotate(fourth, optOut);
      await vi.waitFor(async () => {
        expect([await found(third), await found(fourth)]).toEqual([undefined, undefined]);
      }, patiently);
      const theirs = await create(secretIn(third, 'theirs'));
      const opaque = await create(secretIn(fourth, 'theirs', { type: 'Opaque' }));
      const none = { [Object.keys(optOut)[0] ?? '']: null };
      await annotate(third, none);
      await annotate(fourth, none);
      await vi.waitFor(async () => {
        const reasons = async ({ metadata }: KubeObject) =>
          (await eventsIn(cluster, metadata.uid ?? '')).map(({ reason }) => reason);
        expect(await reasons(theirs)).toEqual(['PullSecretAdopted']);
        expect(await reasons(opaque)).toEqual(['PullSecretInTheWay']);
      }, patiently);
      expect(await holds(third, 'second')).toBe(true);
      expect(await holds(fourth, 'theirs')).toBe(true);
    });

    it('B27 passes by a namespace that is ending, and reaches all others', async () => {
      const metadata = { name: 'stays', namespace: second, finalizers: ['example.com/stays'] };
      const kept = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      objectOf(await cluster.create(configMaps, kept));
      await cluster.delete({ kind: namespaces, name: second });
      await write(secretIn(home, 'third'));
      await vi.waitFor(() => all('third', [second, fourth]), patiently);
      await cluster.patch(
        { kind: configMaps, namespace: second, name: 'stays' },
        { type: 'merge', body: { metadata: { finalizers: null } } },
      );
      teams.splice(teams.indexOf(second), 1);
    });

    it('goes from every namespace when its source goes, a stranger’s left out', async () => {
      await cluster.delete(at(home));
      await vi.waitFor(async () => {
        expect([...(await everywhere()).keys()]).toEqual([fourth]);
      }, patiently);
    });

    it('leaves no trace of its bytes in any row that ever was, nor in the log', async () => {
      await service.stop();
      const { rows, hits } = await tracesOf(database.url, texts);
      expect(rows).toBeGreaterThan(teams.length);
      expect(hits).toEqual([]);
      const said = JSON.stringify(log.lines, (_, value) =>
        value instanceof Error ? `${value.stack} ${value.cause}` : value,
      );
      expect(texts.filter((text) => said.includes(text))).toEqual([]);
    });
  });
}
