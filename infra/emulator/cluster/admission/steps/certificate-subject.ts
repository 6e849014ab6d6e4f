import { inside, text } from '../../access/stated.ts';
import { certificateRequestIn } from '../../certificate-request.ts';
import type { Admitting } from '../../parts.ts';
import type { Refusal } from '../../refusal.ts';
import { idOf } from '../../served-kinds.ts';
import { forbids } from './step.ts';

const ofUsers = 'kubernetes.io/kube-apiserver-client';

/** Nobody becomes a master by a certificate. */
export function certificateSubject(what: Admitting): Refusal | undefined {
  const { kind, operation, object } = what;
  const isAsked = idOf(kind) === 'certificatesigningrequests.certificates.k8s.io';
  const { signerName, request } = inside(object?.['spec']);
  if (!isAsked || operation !== 'CREATE' || signerName !== ofUsers) return undefined;
  const found = certificateRequestIn(text(request));
  if (typeof found === 'string') return forbids(what, `failed to parse CSR: ${found}`);
  return found.organizations.includes('system:masters')
    ? forbids(what, `use of ${ofUsers} signer with system:masters group is not allowed`)
    : undefined;
}
