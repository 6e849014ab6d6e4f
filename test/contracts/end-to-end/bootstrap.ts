import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deployments, namespaces } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Deployment } from '#infra/emulator/controllers/shapes/workload.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { marks } from '#shared/domain/pod-bootstrap/provenance.ts';
import { bootstrapStage, features, secretName } from './bootstrap-stage.ts';
import { namespaceIn, type Place, podOf } from './place.ts';
import { soon, tried } from './webhook.ts';

const asked = Object.fromEntries(features.map((key) => [key, 'true']));
const fips = ['KYMA_FIPS_MODE_ENABLED', 'FIPS_MODE_ENABLED'].map((name) => ({
  name,
  value: 'true',
}));

/** Upstream's own end-to-end test. The kubelets' images come from a registry that asks for a password, and from nowhere else. */
export function bootstrapContract(whose: string, place: Place, registry: string): void {
  const { kit } = place;

  describe(`pod bootstrap, called by ${whose}`, { timeout: 90_000 }, () => {
    let stage: Awaited<ReturnType<typeof bootstrapStage>>;
    beforeAll(async () => {
      stage = await bootstrapStage(place, registry);
    }, 60_000);
    afterAll(() => stage?.close(), 60_000);

    const deploy = (namespace: string, annotations: JsonObject = {}) => {
      const labels = { app: 'web' };
      const container = { name: 'web', image: 'replace.me/team/app:1' };
      const spec = { containers: [container], initContainers: [{ ...container, name: 'first' }] };
      const template = { metadata: { labels, annotations }, spec };
      const body = { spec: { replicas: 1, selector: { matchLabels: labels }, template } };
      return kit.make(deployments, namespace, 'web', body);
    };
    const available = (namespace: string) =>
      kit.seen<Deployment>(
        deployments,
        namespace,
        'web',
        (it) => it.status?.availableReplicas === 1,
      );
    const podIn = async (namespace: string) => {
      const [pod] = await kit.all<never>(pods, namespace);
      return pod as KubeObject | undefined;
    };
    const bootstrapped = () => {
      const container = {
        image: `${registry}/team/app:1`,
        env: fips,
        volumeMounts: expect.arrayContaining([
          { name: 'rt-bootstrapper-certs', readOnly: true, mountPath: '/etc/ssl/certs' },
        ]),
      };
      return {
        metadata: { annotations: { [marks.modified]: 'true' } },
        spec: {
          containers: [container],
          initContainers: [container],
          imagePullSecrets: [{ name: secretName }],
          // The token's comes first.
          volumes: [{}, { name: 'rt-bootstrapper-certs' }],
        },
      };
    };

    it('B19 runs a Deployment whose pods ask for it, out of a registry that they do not name', async () => {
      const namespace = await namespaceIn(place);
      await deploy(namespace, asked);
      await available(namespace);
      expect(await podIn(namespace)).toMatchObject(bootstrapped());
    });

    it('B19 runs one whose namespace asks for it', async () => {
      const namespace = await namespaceIn(place);
      await kit.merge(namespaces, undefined, namespace, { metadata: { annotations: asked } });
      // A namespace's words take a moment to be known.
      await vi.waitFor(async () => {
        const { metadata } = await tried(place.cluster, podOf(namespace, 'tried'));
        expect(metadata.annotations).toHaveProperty([marks.modified]);
      }, soon);
      await deploy(namespace);
      await available(namespace);
      expect(await podIn(namespace)).toMatchObject(bootstrapped());
    });

    it('B19 leaves one as it is where nobody asks', async () => {
      const namespace = await namespaceIn(place);
      await deploy(namespace);
      await vi.waitFor(async () => expect(await podIn(namespace)).toBeDefined(), soon);
      const pod = await podIn(namespace);
      expect(pod).toMatchObject({ spec: { containers: [{ image: 'replace.me/team/app:1' }] } });
      expect(pod?.metadata.annotations ?? {}).not.toHaveProperty([marks.modified]);
    });
  });
}
