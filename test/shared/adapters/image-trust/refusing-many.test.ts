import { expect, it } from 'vitest';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { secrets } from '#shared/domain/kind.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '#test/support/cosign/signing.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'registry.example/team/app';
const byCosign: TrustRules = { ...rules, verifiers: [{ kind: 'cosign', authorities: [] }] };

const asking = (namespace: string) => ({
  rules: byCosign,
  pod: { namespace, serviceAccount: 'default', pullSecrets: ['pull'] },
});
const rich = asking('team-a');

/** Only in `team-a` a Secret opens the registry. What the image is, is known; who has signed it, is not. */
async function guarded() {
  const signer = keySigner();
  const authorities = [{ name: 'team', keys: [signer.pem] }];
  const { world, cluster, replica } = stage({ imageTrust: { cosign: { authorities } } } as object);
  const auths = { 'registry.example': { username: 'ann', password: 'secret' } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  const metadata = { namespace: 'team-a', name: 'pull' };
  await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  const { manifest } = makeImage('good');
  const image = `${gun}:1.0@${world.put(`${gun}:1.0`, manifest)}`;
  const layer = layerBy(signer, payloadOf({ digest: manifest.digest, reference: gun }));
  const signatures = `${gun}:${signatureTag(manifest.digest)}`;
  world.put(signatures, signatureManifest([layer]), layer.content);
  const wanted = basicFor('ann', 'secret');
  world.instead.rule = ({ authorization }) =>
    authorization === wanted ? undefined : answer(401, { 'www-authenticate': 'Basic realm="r"' });
  const one = replica();
  await one.one(image, { ...rich, rules });
  return { world, one, image };
}

it('who may see an image does not wait for the refusals of all others who ask', async () => {
  const { world, one, image } = await guarded();
  world.delay.ms = 200;
  const before = world.visits.length;
  const others = Array.from({ length: 40 }, (_, at) => one.one(image, asking(`evil-${at}`)));
  await expect.poll(() => world.visits.length, { interval: 1 }).toBeGreaterThan(before);
  // One after the other they take longer than anybody waits.
  expect(await one.one(image, rich)).toMatchObject({ kind: 'trusted', remarks: [] });
  for (const other of await Promise.all(others)) expect(other.kind).not.toBe('unavailable');
});
