import { afterEach, describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import { secrets } from '#shared/domain/kind.ts';
import { imageTrust } from '#shared/runtime/image-trust.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '#test/support/cosign/signing.ts';
import { rules } from '#test/support/image-trust/judging.ts';
import { basicFor, memoryRegistry } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const signer = keySigner();
const repository = 'team/app';
const { manifest } = makeImage('app');
const wanted = basicFor('ann', 'secret');
const byCosign = { ...rules, verifiers: [{ kind: 'cosign', authorities: [] }] as const };
const namespace = 'team-a';

/** Whoever logs in as somebody else than Ann is told this. */
const hiding =
  (status: number, script: Script): Script =>
  (request, response, heard) => {
    if (heard.authorization === wanted) script(request, response, heard);
    else if (heard.authorization !== undefined) response.writeHead(status).end();
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end();
  };

/** Replicas on one store, a mirror that shows everybody the image, and its registry. */
async function open(wrap: (script: Script) => Script = (script) => script) {
  const [kept, mirrored] = [memoryRegistry(), memoryRegistry()];
  kept.keep(repository, manifest, '1.0');
  mirrored.keep(repository, manifest, '1.0');
  const origin = await world.open('origin.test', wrap(kept.script));
  const mirror = await world.open('mirror.test', mirrored.script);
  const cluster = clusterInMemory();
  for (const username of ['ann', 'eve']) {
    const auths = { [origin.host]: { username, password: 'secret' } };
    const config = Buffer.from(JSON.stringify({ auths })).toString('base64');
    const metadata = { namespace, name: username };
    const data = { '.dockerconfigjson': config };
    await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  }
  const known = verdictsInMemory();
  const mirrors = [{ of: origin.host, at: mirror.host }];
  const cosign = { authorities: [{ name: 'team', keys: [signer.pem] }] };
  const settings = settingsFixed({ imageTrust: { mirrors, cosign } } as object);
  const replica = () => {
    const { judge } = imageTrust({
      ...{ settings, cluster, store: known.open(), outside: world.outside() },
      clock: clockAt('2030-01-01T00:00:00Z'),
      bootstrapDocument: { current: async () => undefined },
    });
    return async (secret: string) => {
      const pod = { namespace, serviceAccount: '', pullSecrets: [secret] };
      const { signal } = new AbortController();
      const asked = { rules: byCosign, pod, isDryRun: false, signal };
      const [found] = await judge([`${origin.host}/${repository}:1.0`], asked);
      return found?.judgement;
    };
  };
  const sign = () => {
    const reference = `${origin.host}/${repository}`;
    const layer = layerBy(signer, payloadOf({ digest: manifest.digest, reference }));
    kept.keepBlob(repository, layer.content);
    kept.keep(repository, signatureManifest([layer]), signatureTag(manifest.digest));
  };
  return { origin, mirror, replica, sign };
}

describe.each([404, 400])('signatures that a registry hides from one account by %i', (status) => {
  it('are missing for nobody else, though a mirror shows everybody the image', async () => {
    const { replica, sign } = await open((script) => hiding(status, script));
    sign();
    const [one, other] = [replica(), replica()];
    expect(await one('eve')).toMatchObject({ kind: 'untrusted', why: 'registry-refused' });
    expect(await one('ann')).toMatchObject({ kind: 'trusted', digest: manifest.digest });
    expect(await other('ann')).toMatchObject({ kind: 'trusted' });
  });
});

describe('an image that its registry shows, without a signature', () => {
  it('is not signed, and nobody asks again', async () => {
    const { origin, mirror, replica } = await open();
    const [one, other] = [replica(), replica()];
    expect(await one('eve')).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
    const asked = origin.heard.length + mirror.heard.length;
    expect(asked).toBeLessThanOrEqual(12);
    expect(await one('ann')).toMatchObject({ why: 'not-signed' });
    expect(await other('ann')).toMatchObject({ why: 'not-signed' });
    expect(origin.heard.length + mirror.heard.length).toBe(asked);
  });
});
