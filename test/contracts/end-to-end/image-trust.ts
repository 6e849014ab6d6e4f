import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { replicaSets } from '#infra/emulator/controllers/shapes/kinds.ts';
import { isReady, type Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { namespaces, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { podImages } from '#shared/domain/pod-images.ts';
import { eventsIn } from '../cluster/events-in.ts';
import { patiently, podsIn, refusalOf, serveImageTrust, strangerIn } from './image-trust-stage.ts';
import { openSigningWorld, type SigningWorld } from './image-trust-world.ts';
import { openInjector } from './injector.ts';
import { namespaceIn, type Place, podOf } from './place.ts';

const mode = 'namespaces.warden.kyma-project.io/validate';
const status = 'pods.warden.kyma-project.io/validate';
const notaryUrl = 'namespaces.warden.kyma-project.io/notary-url';
const system = { [mode]: 'system' };

/** Real registries and Notaries over HTTPS, our process, the webhooks that are rendered, and pods that run. */
export function imageTrustContract(whose: string, place: Place): void {
  const { cluster, kit } = place;

  describe(`image trust, called by ${whose}`, { timeout: 90_000 }, () => {
    let world: SigningWorld;
    let serving: Awaited<ReturnType<typeof serveImageTrust>>;
    let team: string;
    let digest: string;
    /** `good:1` is signed, `bad:1` is not. */
    const good = () => `${world.registry}/team/good`;
    const bad = () => `${world.registry}/team/bad`;

    const holding = (...images: readonly string[]) => ({
      containers: images.map((image, at) => ({ name: `c${at}`, image })),
    });
    const create = (namespace: string, name: string, spec: JsonObject) =>
      refusalOf(cluster.create(pods, podOf(namespace, name, spec)));
    const found = (namespace: string, name: string) =>
      cluster.find({ kind: pods, namespace, name });
    const imagesIn = (pod: KubeObject | undefined) =>
      podImages((pod ?? {}) as JsonObject).map(({ image }) => image);
    const statusOf = async (namespace: string, name: string) =>
      (await found(namespace, name))?.metadata.labels?.[status];
    const becomes = (namespace: string, name: string, expected: string | undefined) =>
      vi.waitFor(async () => expect(await statusOf(namespace, name)).toBe(expected), patiently);
    /** Of one pod, which is there; its uid. */
    const setOf = async (namespace: string, image: string) => {
      const labels = { app: 'owned' };
      const template = { metadata: { labels }, spec: holding(image) };
      const spec = { replicas: 1, selector: { matchLabels: labels }, template };
      const { metadata } = await kit.make(replicaSets, namespace, 'owned', { spec });
      await vi.waitFor(async () => {
        const names = (await podsIn(cluster, namespace)).map((pod) => pod.metadata.name);
        expect(names).toContainEqual(expect.stringMatching(/^owned-/));
      }, patiently);
      return metadata.uid ?? '';
    };
    const label = (name: string, value: string | null, annotations: JsonObject = {}) =>
      kit.merge(namespaces, undefined, name, {
        metadata: { labels: { [mode]: value }, annotations },
      });

    beforeAll(async () => {
      world = await openSigningWorld();
      digest = world.push(`${good()}:1`, 'good');
      world.push(`${bad()}:1`, 'bad');
      await world.sign(good(), { '1': digest });
      const installation = `gatehouse-${randomBytes(4).toString('hex')}`;
      await kit.make(namespaces, undefined, installation, {});
      team = await namespaceIn(place, system);
      serving = await serveImageTrust(place, {
        capabilities: ['image-trust', 'pod-bootstrap'],
        installation: { namespace: installation },
        certificates: { dnsNames: ['localhost'], settle: place.settle },
        worker: { graceSeconds: 1 },
        imageTrust: world.settings,
        podBootstrap: {
          document: {
            availableFeatures: ['rt-cfg.kyma-project.io/alter-img-registry'],
            overrides: { 'origin.test': world.mirror },
          },
        },
      });
    }, 90_000);

    afterAll(async () => {
      await serving?.stop();
      await world?.close();
    });

    it('admits what is signed, pinned to what was verified, and it runs', async () => {
      expect(await create(team, 'good', holding(`${good()}:1`))).toBeUndefined();
      const pod = await kit.seen<Pod>(pods, team, 'good', isReady);
      expect(pod.spec.containers[0]?.image).toBe(`${good()}:1@${digest}`);
      expect(await statusOf(team, 'good')).toBe('success');
    });

    it('refuses what is not, in upstream’s words, and says why', async () => {
      const refusal = await create(team, 'bad', holding(`${bad()}:1`));
      expect(refusal).toContain(`denied the request: Pod images ${bad()}:1 validation failed; `);
      expect(refusal).toContain('it is not signed');
      expect(await found(team, 'bad')).toBeUndefined();
    });

    it('names all that are bad, and refuses a short name that nobody signed', async () => {
      const refusal = await create(team, 'two', holding(`${bad()}:2`, `${good()}:1`, `${bad()}:1`));
      expect(refusal).toContain(`Pod images ${bad()}:1, ${bad()}:2 validation failed`);
      expect(
        await create(team, 'init', {
          ...holding(`${good()}:1`),
          initContainers: [{ name: 'i', image: `${bad()}:1` }],
        }),
      ).toContain(`Pod images ${bad()}:1 validation failed`);
    });

    it('lets a namespace be that verifies nothing', async () => {
      const plain = await namespaceIn(place);
      expect(await create(plain, 'bad', holding(`${bad()}:1`))).toBeUndefined();
      expect(await statusOf(plain, 'bad')).toBeUndefined();
    });

    it('refuses an update of a verified pod to a bad image, and no other', async () => {
      await create(team, 'update', holding(`${good()}:1`));
      const target = { kind: pods, namespace: team, name: 'update' };
      const patched = (body: JsonObject) =>
        refusalOf(cluster.patch(target, { type: 'strategic', body }));
      const image = (name: string) => ({ spec: { containers: [{ name: 'c0', image: name }] } });
      expect(await patched(image(`${bad()}:1`))).toContain(`${bad()}:1`);
      expect(await patched({ metadata: { labels: { any: 'thing' } } })).toBeUndefined();
      expect(await patched(image(`${good()}:1`))).toBeUndefined();
      expect(imagesIn(await found(team, 'update'))).toEqual([`${good()}:1@${digest}`]);
    });

    it('verifies an ephemeral container, and pins it', async () => {
      await create(team, 'debugged', holding(`${good()}:1`));
      const target = { kind: pods, namespace: team, name: 'debugged' };
      const debug = (image: string, name: string) => {
        const ephemeralContainers = [{ name, image, targetContainerName: 'c0' }];
        const at = { ...target, subresource: 'ephemeralcontainers' };
        const body = { spec: { ephemeralContainers } };
        return refusalOf(cluster.patch(at, { type: 'strategic', body }));
      };
      expect(await debug(`${bad()}:1`, 'bad')).toContain(`${bad()}:1`);
      expect(await debug(`${good()}:1`, 'debug')).toBeUndefined();
      const spec = (await found(team, 'debugged'))?.['spec'] as JsonObject;
      expect(spec['ephemeralContainers']).toMatchObject([{ image: `${good()}:1@${digest}` }]);
    });

    it('judges what is there when a namespace is labelled, refuses from then on, and cleans up when it leaves', async () => {
      const late = await namespaceIn(place);
      // What the emulated nodes say that they run is the digest of the manifest, where it has one.
      await create(late, 'good', holding(`${good()}:1@${digest}`));
      await create(late, 'bad', holding(`${bad()}:1`));
      const set = await setOf(late, `${bad()}:1`);
      await label(late, 'enabled');
      // At once: the API server knows the label before any cache of ours does.
      expect(await create(late, 'worse', holding(`${bad()}:1`))).toBeDefined();
      await becomes(late, 'good', 'success');
      await becomes(late, 'bad', 'failed');
      const { uid = '' } = (await found(late, 'bad'))?.metadata ?? {};
      expect(await eventsIn(cluster, uid)).toContainEqual(
        expect.objectContaining({ type: 'Warning', reason: 'ImagesNotTrusted' }),
      );
      // Whoever looks at the workload sees it too.
      await vi.waitFor(
        async () =>
          expect(await eventsIn(cluster, set)).toContainEqual(
            expect.objectContaining({
              reason: 'ImagesNotTrusted',
              note: expect.stringMatching(/^pod owned-/),
            }),
          ),
        patiently,
      );
      await vi.waitFor(async () => {
        const name = `try-${randomBytes(4).toString('hex')}`;
        expect(await create(late, name, holding(`${good()}:1`))).toBeUndefined();
      }, patiently);
      await label(late, null);
      await becomes(late, 'good', undefined);
      await becomes(late, 'bad', undefined);
    });

    it('follows a user’s own rules, tells when they are broken, and when they hold again', async () => {
      const own = await namespaceIn(place, { [mode]: 'user' });
      expect(await create(own, 'none', holding(`${good()}:1`))).toContain('notary URL is not set');
      const { uid = '' } = (await cluster.find({ kind: namespaces, name: own }))?.metadata ?? {};
      await vi.waitFor(
        async () =>
          expect(await eventsIn(cluster, uid)).toContainEqual(
            expect.objectContaining({ reason: 'ImageTrustBroken' }),
          ),
        patiently,
      );
      await label(own, 'user', { [notaryUrl]: world.notary });
      await vi.waitFor(
        async () => expect(await create(own, 'good', holding(`${good()}:1`))).toBeUndefined(),
        patiently,
      );
      expect(await create(own, 'bad', holding(`${bad()}:1`))).toContain('it is not signed');
    });

    it('marks a pod whose image is revoked, and takes it back when it is signed again', async () => {
      const gun = `${world.registry}/team/revoked`;
      const signed = { '1': world.push(`${gun}:1`, 'revoked') };
      await world.sign(gun, signed);
      await vi.waitFor(
        async () => expect(await create(team, 'revoked', holding(`${gun}:1`))).toBeUndefined(),
        patiently,
      );
      await becomes(team, 'revoked', 'success');
      await world.sign(gun, {});
      await becomes(team, 'revoked', 'failed');
      await world.sign(gun, signed);
      await becomes(team, 'revoked', 'success');
    });

    it('judges a sidecar that is injected after it like the rest', async () => {
      const annotation = 'end-to-end.test/inject';
      const injector = await openInjector(cluster, annotation);
      const createWith = (name: string, image: string) => {
        const pod = podOf(team, name, holding(`${good()}:1`));
        const marks = { labels: { inject: 'yes' }, annotations: { [annotation]: image } };
        return refusalOf(cluster.create(pods, { ...pod, metadata: { ...pod.metadata, ...marks } }));
      };
      // The API server may learn of the injector a moment later.
      await vi.waitFor(async () => {
        const name = `injected-${randomBytes(4).toString('hex')}`;
        expect(await createWith(name, `${good()}:1`)).toBeUndefined();
        const pinned = `${good()}:1@${digest}`;
        expect(imagesIn(await found(team, name))).toEqual([pinned, pinned]);
      }, patiently);
      expect(await createWith('bad-sidecar', `${bad()}:1`)).toContain(`images ${bad()}:1`);
      await injector.close();
    });

    it('answers a dry run as it would the pod, and trusts no root because of it', async () => {
      const gun = `${world.registry}/team/dry`;
      const signed = { '1': world.push(`${gun}:1`, 'dry') };
      const pod = podOf(team, 'dry', holding(`${gun}:1`));
      await world.sign(gun, signed, { owner: await world.anotherRoot(gun) });
      const dry = cluster.create(pods, pod, { dryRun: true });
      expect(await refusalOf(dry)).toBeUndefined();
      // Another root than the one that the dry run saw: it counts as the first.
      await world.sign(gun, signed, { owner: await world.anotherRoot(gun) });
      await vi.waitFor(
        async () => expect(await refusalOf(cluster.create(pods, pod))).toBeUndefined(),
        patiently,
      );
    });

    it('judges a rewritten image by the name of its origin, and a mirror’s name by hand gains nothing', async () => {
      const rewritten = world.push(`${world.mirror}/app:1`, 'app');
      const evil = world.push(`${world.mirror}/evil:1`, 'evil');
      await world.sign('origin.test/app', { '1': rewritten });
      // Signed, but under the mirror's own name.
      await world.sign(`${world.mirror}/evil`, { '1': evil });

      expect(await create(team, 'rewritten', holding('origin.test/app:1'))).toBeUndefined();
      expect(imagesIn(await found(team, 'rewritten'))).toEqual([
        `${world.mirror}/app:1@${rewritten}`,
      ]);
      expect(await create(team, 'unsigned', holding('origin.test/evil:1'))).toContain('not signed');
      expect(await create(team, 'by-hand', holding(`${world.mirror}/evil:1`))).toContain(
        'not signed',
      );
      expect(await create(team, 'by-digest', holding(`${world.mirror}/evil:1@${evil}`))).toContain(
        'not signed',
      );
    });

    it('puts a status right that a stranger writes, and lets a pod go that is revoked', async () => {
      const stranger = await strangerIn(place, team);
      const target = { kind: pods, namespace: team, name: 'good' };
      const body = { metadata: { labels: { [status]: 'failed', by: 'stranger' } } };
      expect(await refusalOf(stranger.patch(target, { type: 'merge', body }))).toBeUndefined();
      expect((await found(team, 'good'))?.metadata.labels).toMatchObject({
        [status]: 'success',
        by: 'stranger',
      });
      stranger.close();

      const gun = `${world.registry}/team/going`;
      await world.sign(gun, { '1': world.push(`${gun}:1`, 'going') });
      const finalizers = ['end-to-end.test/stay'];
      const going = podOf(team, 'going', holding(`${gun}:1`));
      const made = { ...going, metadata: { ...going.metadata, finalizers } };
      expect(await refusalOf(cluster.create(pods, made))).toBeUndefined();
      await world.sign(gun, {});
      await becomes(team, 'going', 'failed');
      const at = { kind: pods, namespace: team, name: 'going' };
      await cluster.delete(at);
      const freed = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
      expect(await refusalOf(cluster.patch(at, freed))).toBeUndefined();
      await kit.gone(at);
    });

    it('has no pod in the trusting namespace that is not pinned', async () => {
      const images = (await podsIn(cluster, team)).flatMap(imagesIn);
      expect(images.filter((image) => !image.includes('@sha256:'))).toEqual([]);
      expect(images).not.toEqual([]);
    });
  });
}
