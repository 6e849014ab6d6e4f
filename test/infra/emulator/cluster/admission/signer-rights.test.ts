import { expect, it } from 'vitest';
import type { Attributes } from '#infra/emulator/cluster/parts.ts';
import { builtIn } from '#infra/emulator/cluster/served-kinds.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { clusterTrustBundles } from '#shared/domain/kind.ts';
import { admitting } from './admitting.ts';
import { opened } from './opened.ts';

const kind = builtIn(clusterTrustBundles);
const bundle = (metadata: JsonObject, spec: JsonObject = { signerName: 'a.example/s' }) => ({
  metadata: { name: 'a.example:s:b', ...metadata },
  spec,
});
const update = { operation: 'UPDATE', before: bundle({}) } as const;

it.each([
  ['of no signer is anybody free to make', admitting(kind, bundle({}, {})), true],
  ['of a signer is not', admitting(kind, bundle({})), false],
  ['of a signer is not to be changed', admitting(kind, bundle({ labels: {} }), update), false],
  ['may leave its owners', admitting(kind, bundle({ finalizers: [] }), update), true],
  ['may be deleted', admitting(kind, undefined, { operation: 'DELETE' }), true],
])('a bundle %s', async (_, write, isAllowed) => {
  const { admission } = await opened();
  const why = 'user not permitted to attest for signerName "a.example/s"';
  const message = `clustertrustbundles.certificates.k8s.io "a.example:s:b" is forbidden: ${why}`;
  const refused = { code: 403, body: { message } };
  expect(await admission.validate(write)).toMatchObject(isAllowed ? { warnings: [] } : refused);
});

it.each(['a.example/s', 'a.example/*'])('who may attest for %s may make one', async (signer) => {
  const may = (asked: Attributes) => ({
    allowed:
      'resource' in asked &&
      `${asked.verb} ${asked.resource} ${asked.name}` === `attest signers ${signer}`,
    reason: '',
  });
  const { admission } = await opened({ may });
  expect(await admission.validate(admitting(kind, bundle({})))).toMatchObject({ warnings: [] });
});
