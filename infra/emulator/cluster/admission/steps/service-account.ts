import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { isMirror, refersTo } from '../../access/pod-references.ts';
import { inside, objects, text } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import { isRefusal, type Refusal, refusal } from '../../refusal.ts';
import { foreignSecret, foreignToEphemeral } from './mountable-secrets.ts';
import { forbids, isPod, withSpec } from './step.ts';
import { withToken } from './token-volume.ts';

/** A new pod has an account that is there, its pull secrets, and a token of it. */
export function serviceAccount(
  what: Admitting,
  reading: Reading,
): JsonObject | Refusal | undefined {
  const { object, operation } = what;
  if (!isPod(what) || operation !== 'CREATE' || object === undefined) return undefined;
  if (isMirror(object)) return refusedMirror(what, object);
  const spec = inside(object['spec']);
  const name = text(spec['serviceAccountName']) || 'default';
  const account = accountOf(what, reading, name);
  if (isRefusal(account)) return account;
  const pullSecrets = objects(account['imagePullSecrets']).map((secret) => ({
    name: secret['name'] ?? '',
  }));
  const needsSecrets = objects(spec['imagePullSecrets']).length === 0 && pullSecrets.length > 0;
  const named = withSpec(object, {
    serviceAccountName: name,
    serviceAccount: name,
    ...(needsSecrets && { imagePullSecrets: pullSecrets }),
  });
  const mounted = mountsToken(spec, account) ? withToken(named) : named;
  return ofOtherSecret(what, mounted, account) ?? mounted;
}

function ofOtherSecret(what: Admitting, pod: JsonObject, account: JsonObject): Refusal | undefined {
  const why = foreignSecret(pod, account);
  return why === undefined ? undefined : forbids(what, why);
}

/** After the webhooks: whatever they made of it, the account must be there. */
export function accountStands(what: Admitting, reading: Reading): Refusal | undefined {
  const { object, operation } = what;
  if (object === undefined) return undefined;
  if (isPod(what, 'ephemeralcontainers')) return ephemeralStands(what, object, reading);
  if (!isPod(what) || operation !== 'CREATE') return undefined;
  if (isMirror(object)) return refusedMirror(what, object);
  const account = statedAccount(what, object, reading);
  return isRefusal(account) ? account : ofOtherSecret(what, object, account);
}

/** Here the real server takes it for a fault of its own. */
function ephemeralStands(
  what: Admitting,
  object: JsonObject,
  reading: Reading,
): Refusal | undefined {
  const account = statedAccount(what, object, reading);
  if (isRefusal(account)) return account;
  const message = foreignToEphemeral(object, account);
  return message === undefined ? undefined : refusal(500, { message });
}

function statedAccount(what: Admitting, pod: JsonObject, reading: Reading): JsonObject | Refusal {
  const { namespace = '', name } = what;
  const account = text(inside(pod['spec'])['serviceAccountName']);
  return account === ''
    ? forbids(what, `no service account specified for pod ${namespace}/${name}`)
    : accountOf(what, reading, account);
}

function accountOf(what: Admitting, reading: Reading, name: string): JsonObject | Refusal {
  const { namespace = '' } = what;
  return (
    reading.find('serviceaccounts', { namespace, name }) ??
    forbids(
      what,
      `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
    )
  );
}

/** The pod's wish counts before the account's. */
function mountsToken(spec: JsonObject, account: JsonObject): boolean {
  const stated = spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'];
  return stated !== false;
}

function refusedMirror(what: Admitting, pod: JsonObject): Refusal | undefined {
  const spec = inside(pod['spec']);
  if (text(spec['serviceAccountName']) !== '') {
    return forbids(what, 'a mirror pod may not reference service accounts');
  }
  if (refersTo(pod, 'secrets')) return forbids(what, 'a mirror pod may not reference secrets');
  const hasToken = objects(spec['volumes'])
    .flatMap((volume) => objects(inside(volume['projected'])['sources']))
    .some((source) => isJsonObject(source['serviceAccountToken']));
  return hasToken
    ? forbids(what, 'a mirror pod may not use ServiceAccountToken volume projections')
    : undefined;
}
