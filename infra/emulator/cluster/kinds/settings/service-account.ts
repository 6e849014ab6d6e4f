import type { JsonObject } from '#shared/domain/json.ts';
import type { Subresource } from '../../parts.ts';
import { type Refusal, refusal } from '../../refusal.ts';
import type { KindRules } from '../kind-rules.ts';
import { metadataOf, partOf, specOf, textOf } from '../words/edit.ts';
import { invalid } from '../words/errors.ts';
import { invalidObject } from '../words/invalid.ts';
import { child, type Errors, none, number, type Place, root } from '../words/place.ts';
import { timestamp } from '../words/time.ts';
import { unbound } from './bound-object.ts';

const tokenKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } as const;

/** A token for whoever may ask for one. */
const token: Subresource = {
  shape: 'action',
  verb: 'create',
  type: tokenKind,
  completed: timed,
  misstated: misnamed,
  act(sent, account, world) {
    const request = completed(sent, account, timestamp(world.now));
    const why = otherUid(sent, account) ?? unfit(request) ?? unbound(request, account, world);
    return Promise.resolve(why ?? world.issueToken(account, request));
  },
};

/** What is not stated is an hour, */
function timed(sent: JsonObject): JsonObject {
  return { ...sent, spec: { expirationSeconds: 3600, ...specOf(sent) } };
}

/** and the account's own names. */
function completed(sent: JsonObject, account: JsonObject, at: string): JsonObject {
  const { name, namespace, uid } = metadataOf(account);
  const own = { name: name ?? '', namespace: namespace ?? '', uid: uid ?? '' };
  return {
    ...sent,
    metadata: { ...own, ...metadataOf(sent), creationTimestamp: at },
    spec: { boundObjectRef: null, ...specOf(timed(sent)) },
  };
}

function misnamed(sent: JsonObject, name: string): Refusal | undefined {
  const stated = textOf(metadataOf(sent), 'name');
  if (stated === '' || stated === name) return undefined;
  const at = { path: 'metadata.name', value: stated };
  const why = 'must match the service account name if specified';
  return invalidObject(tokenKind, name, [invalid(at, why)]);
}

function otherUid(sent: JsonObject, account: JsonObject): Refusal | undefined {
  const [uid, real] = [sent, account].map((each) => textOf(metadataOf(each), 'uid'));
  if (uid === '' || uid === real) return undefined;
  const name = textOf(metadataOf(account), 'name');
  const why = `the UID in the token request (${uid}) does not match the UID of the service account (${real})`;
  return refusal(409, {
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "${name}": ${why}`,
    details: { name, group: tokenKind.group, kind: tokenKind.kind },
  });
}

function unfit(request: JsonObject): Refusal | undefined {
  const errors = checkedSeconds(child(root(request), 'spec', 'expirationSeconds'));
  return errors.length === 0 ? undefined : invalidObject(tokenKind, '', errors);
}

function checkedSeconds(at: Place): Errors {
  if (number(at) < 600) {
    return [invalid(at, 'may not specify a duration less than 10 minutes')];
  }
  return number(at) > 2 ** 32
    ? [invalid(at, 'may not specify a duration larger than 2^32 seconds')]
    : none;
}

const enforces = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccount: KindRules = {
  warnings: (next, before) => {
    const [now, was] = [next, before].map((each) => partOf(metadataOf(each), 'annotations'));
    const isNew = now?.[enforces] !== undefined && was?.[enforces] === undefined;
    const instead = 'prefer separate namespaces to isolate access to mounted secrets';
    return isNew ? [`metadata.annotations[${enforces}]: deprecated in v1.32+; ${instead}`] : [];
  },
  subresources: { token },
};
