import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { secrets } from '#shared/domain/kind.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '../cosign/signing.ts';
import { basicFor } from '../registry/memory-registry.ts';
import { type Content, makeImage } from '../registry/pushed-image.ts';
import { answer } from '../tuf/notary-server.ts';
import { rules, stage } from './judging.ts';

export const gun = 'registry.example/team/app';
const signer = keySigner();
export const byCosign: TrustRules = { ...rules, verifiers: [{ kind: 'cosign', authorities: [] }] };
const wanted = basicFor('ann', 'secret');

const asking = (secret: string) => ({
  rules: byCosign,
  pod: { namespace: 'team-a', serviceAccount: 'default', pullSecrets: [secret] },
});
export const [rich, poor] = [asking('right'), asking('wrong')];

function loginOf(name: string, username: string) {
  const auths = { 'registry.example': { username, password: 'secret' } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'team-a', name }, data };
}

/** An image that cosign's key signed, in a registry that answers so to whoever has another login than the right one. */
export async function guarded(
  status = 401,
  times: Parameters<typeof stage>[2] = {},
  imageTrust = {},
  { manifest }: { readonly manifest: Content } = makeImage('good'),
) {
  const authorities = [{ name: 'team', keys: [signer.pem] }];
  const config = { imageTrust: { cosign: { authorities }, ...imageTrust } };
  const made = stage(config as object, undefined, times);
  const { world, clock, cluster } = made;
  await cluster.create(secrets, loginOf('right', 'ann'));
  await cluster.create(secrets, loginOf('wrong', 'eve'));
  const digest = world.put(`${gun}:1.0`, manifest);
  const layer = layerBy(signer, payloadOf({ digest, reference: gun }));
  const signatures = `${gun}:${signatureTag(manifest.digest)}`;
  const sign = () => void world.put(signatures, signatureManifest([layer]), layer.content);
  sign();
  world.instead.rule = ({ authorization }) => {
    if (authorization === wanted) return undefined;
    const asked = { 'www-authenticate': 'Basic realm="r"' };
    return authorization === undefined ? answer(401, asked) : answer(status);
  };
  const known = verdictsInMemory({ clock });
  const remove = () => {
    world.instead.rule = () => answer(404);
  };
  const revoke = () => world.put(signatures, signatureManifest([]));
  return {
    ...{ world, clock, cluster, sign, revoke, remove },
    replica: (as = (store: VerdictStore) => store) => made.replica(as(known.open())),
    names: { 'by tag': `${gun}:1.0`, 'by digest': `${gun}:1.0@${digest}` },
  };
}
