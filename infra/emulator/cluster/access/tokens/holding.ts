import type { JsonObject } from '#shared/domain/json.ts';
import type { ObjectName, Reading, User } from '../../parts.ts';
import { inside, metadataOf, text, uidOf } from '../stated.ts';

export type Held =
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'void'; readonly why: string };

/** Whether what the claims speak of is still so: the account, and what the token is bound to, by uid. */
export function heldBy(claims: JsonObject, reading: Reading, now: Date): Held {
  const why = outOfTime(claims, now) ?? gone(claims, reading, now);
  return why === undefined ? { kind: 'user', user: userOf(claims) } : { kind: 'void', why };
}

/** Clocks may differ by that much. */
const leewaySeconds = 60;

function outOfTime({ exp, nbf, iat }: JsonObject, now: Date): string | undefined {
  const seconds = now.getTime() / 1000;
  if (Number(nbf) > seconds + leewaySeconds) return 'service account token is not valid yet';
  if (Number(exp) < seconds - leewaySeconds) return 'service account token has expired';
  return Number(iat) > seconds + leewaySeconds
    ? 'service account token is issued in the future'
    : undefined;
}

function gone(claims: JsonObject, reading: Reading, now: Date): string | undefined {
  const about = inside(claims['kubernetes.io']);
  const namespace = text(about['namespace']);
  const account = inside(about['serviceaccount']);
  const name = text(account['name']);
  const found = reading.find('serviceaccounts', { namespace, name });
  if (found === undefined) return `serviceaccounts "${name}" not found`;
  if (uidOf(found) !== account['uid']) {
    return `service account UID (${uidOf(found)}) does not match claim (${account['uid']})`;
  }
  if (isDeleted(found, now)) return `service account ${namespace}/${name} has been deleted`;
  return boundTo(about).flatMap((bound) => lost(bound, reading, now) ?? [])[0];
}

type Bound = {
  readonly word: string;
  readonly kind: string;
  readonly at: ObjectName;
  readonly uid: string;
};

/** A pod's node is told, but not looked for. */
function boundTo(about: JsonObject): readonly Bound[] {
  const namespace = text(about['namespace']);
  const bound = (word: string, place: { readonly namespace?: string }) => {
    const { name, uid } = inside(about[word]);
    return { word, kind: `${word}s`, at: { ...place, name: text(name) }, uid: text(uid) };
  };
  return [
    ...(about['secret'] === undefined ? [] : [bound('secret', { namespace })]),
    ...(about['pod'] === undefined ? [] : [bound('pod', { namespace })]),
    ...(about['node'] === undefined || about['pod'] !== undefined ? [] : [bound('node', {})]),
  ];
}

function lost({ word, kind, at, uid }: Bound, reading: Reading, now: Date): string | undefined {
  const found = reading.find(kind, at);
  if (found === undefined || isDeleted(found, now))
    return 'service account token has been invalidated';
  return uidOf(found) === uid
    ? undefined
    : `${word} UID (${uidOf(found)}) does not match service account ${word} ref claim (${uid})`;
}

function isDeleted(object: JsonObject, now: Date): boolean {
  const deleted = metadataOf(object)['deletionTimestamp'];
  if (typeof deleted !== 'string') return false;
  return Date.parse(deleted) < now.getTime() - leewaySeconds * 1000;
}

function userOf(claims: JsonObject): User {
  const about = inside(claims['kubernetes.io']);
  const namespace = text(about['namespace']);
  return {
    name: text(claims['sub']),
    uid: text(inside(about['serviceaccount'])['uid']),
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
    extra: {
      [`${prefix}credential-id`]: [`JTI=${text(claims['jti'])}`],
      ...extraOf('node', about),
      ...extraOf('pod', about),
    },
  };
}

const prefix = 'authentication.kubernetes.io/';

function extraOf(word: string, about: JsonObject): Readonly<Record<string, readonly string[]>> {
  const { name, uid } = inside(about[word]);
  return {
    ...(text(name) !== '' && { [`${prefix}${word}-name`]: [text(name)] }),
    ...(text(uid) !== '' && { [`${prefix}${word}-uid`]: [text(uid)] }),
  };
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
