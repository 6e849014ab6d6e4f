import replicatePullSecret from '#functions/pod-bootstrap/replicate-pull-secret.ts';
import { secrets, trustBundles } from '#infra/emulator/controllers/shapes/kinds.ts';
import { openImages } from '#infra/emulator/dev/images.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { startService } from '#infra/emulator/world/real/serving.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { featureKey } from '#shared/domain/pod-bootstrap/feature.ts';
import { ofMutating } from '#test/support/certificates/webhooks.ts';
import { startGatehouse } from '#test/support/gatehouse-process.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { basicFor, guarded, memoryRegistry } from '#test/support/registry/memory-registry.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { openHost } from '#test/support/registry/scripted-host.ts';
import { namespaceIn, type Place } from './place.ts';
import { answers, registerWebhook } from './webhook.ts';

export const features = [
  ...(['alter-img-registry', 'add-img-pull-secret'] as const),
  ...(['add-cluster-trust-bundle', 'set-fips-mode'] as const),
].map(featureKey);

export const secretName = 'bootstrap-credentials';
export const bundleName = 'bootstrap-corp';

/** A registry that lets in who shows a password, and kubelets that have no image but from there. */
export async function lockedRegistry() {
  const memory = memoryRegistry();
  memory.keep('team/app', makeImage('app').manifest, '1');
  const alice = basicFor('alice', 'word');
  const host = await openHost(guarded(memory.script, 'Basic realm="here"', (it) => it === alice));
  const name = `localhost:${host.port}`;
  const place = { host: name, plainHttp: true, addresses: ['127.0.0.0/8', '::1/128'] };
  const config = settingsFixed({ imageTrust: { hosts: [place] } });
  const images = openImages({ config, say: () => {} });
  return {
    ...{ name, resolveImage: images.resolveImage },
    async close() {
      images.close();
      await host.close();
    },
  };
}

/** As upstream has it: a document in a ConfigMap, that asks for nothing by itself, and the platform's secret and bundle. */
export async function bootstrapStage(place: Place, registry: string) {
  const { cluster, kit, login } = place;
  const home = await namespaceIn(place);
  const document = {
    overrides: { 'replace.me': registry },
    clusterTrustBundle: {
      ...{ name: bundleName, certWritePath: 'ca.pem', volumeName: 'rt-bootstrapper-certs' },
      volumeMountPath: '/etc/ssl/certs',
    },
    availableFeatures: features,
    defaultMode: 'optIn',
  };
  await kit.make(configMaps, home, 'rt-bootstrapper-config', {
    data: { 'rt-bootstrapper-config.json': JSON.stringify(document) },
  });
  const auths = { [registry]: { username: 'alice', password: 'word' } };
  const text = JSON.stringify({ auths });
  await kit.make(secrets, home, secretName, {
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
  });
  await kit.make(trustBundles, undefined, bundleName, { spec: { trustBundle: await aBundle() } });

  const stated = {
    capabilities: ['pod-bootstrap', 'certificates'],
    server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
    installation: { namespace: home },
    certificates: { dnsNames: ['localhost'], settle: place.settle },
    podBootstrap: {
      configMap: { namespace: home },
      pullSecret: { namespace: home, name: secretName },
    },
  };
  const gatehouse = await startGatehouse({ settings: stated, kubeconfig: place.kubeconfig });
  await registerWebhook({ cluster, port: gatehouse.port, installation: home });
  const { url, drop } = await freshDatabase();
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const settings = settingsFixed(stated);
  const service = await startService([replicatePullSecret], {
    ...{ login, settings, log },
    databaseUrl: url,
  });
  await answers(cluster, await namespaceIn(place));
  return {
    async close() {
      await service.stop();
      await cluster.delete(ofMutating);
      await gatehouse.stop();
      await drop();
    },
  };
}

async function aBundle(): Promise<string> {
  const [notBefore, notAfter] = [new Date(), new Date(Date.now() + 86_400_000)];
  const { certificate } = await openCertificates().issueCa({ notBefore, notAfter });
  return certificate;
}
