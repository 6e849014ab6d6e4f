import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { isLeaving } from '../../access/leaving.ts';
import { inside, text } from '../../access/stated.ts';
import type { Access, Admitting } from '../../parts.ts';
import { idOf } from '../../served-kinds.ts';
import { forbids, type Step } from './step.ts';

const requests = 'certificatesigningrequests.certificates.k8s.io';
const bundles = 'clustertrustbundles.certificates.k8s.io';

/** Who speaks for a signer has a right on that signer, or on all of its domain. */
export function signerRights(may: Access['may']): Step {
  return (what) => {
    const wanted = wantedOf(what);
    if (wanted === undefined || wanted.signer === '') return undefined;
    const { verb, signer, deed } = wanted;
    const names = [signer, `${signer.split('/')[0]}/*`];
    const isAllowed = names.some(
      (name) => may({ ...signers, user: what.user, verb, name }).allowed,
    );
    if (isAllowed) return undefined;
    return forbids(what, `user not permitted to ${deed} signerName "${signer}"`);
  };
}

const signers = { group: 'certificates.k8s.io', version: '*', resource: 'signers' };

type Wanted = { readonly verb: string; readonly signer: string; readonly deed: string };

function wantedOf(what: Admitting): Wanted | undefined {
  const { kind, subresource, operation, object, before } = what;
  if (object === undefined) return undefined;
  if (idOf(kind) === bundles) {
    if (isLeaving(object, before)) return undefined;
    return { verb: 'attest', signer: signerOf(object), deed: 'attest for' };
  }
  if (idOf(kind) !== requests || operation !== 'UPDATE') return undefined;
  const signer = signerOf(before);
  if (subresource === 'approval') return { verb: 'approve', signer, deed: 'approve requests with' };
  if (subresource !== 'status' || isSameStatus(object, before)) return undefined;
  return { verb: 'sign', signer, deed: 'sign requests with' };
}

function signerOf(object: JsonObject | undefined): string {
  return text(inside(object?.['spec'])['signerName']);
}

function isSameStatus(object: JsonObject, before: JsonObject | undefined): boolean {
  const [next, was] = [object, before].map((each) => inside(each?.['status']));
  return ['certificate', 'conditions'].every((key) =>
    sameJson(next?.[key] ?? null, was?.[key] ?? null),
  );
}
