import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Reading } from '../../parts.ts';
import { badRequest, conflict, invalid, isRefusal, notFound, type Refusal } from '../../refusal.ts';
import { inside, metadataOf, nameOf, namespaceOf, text, texts, uidOf } from '../stated.ts';
import { type Bindable, claimsOf } from './claims.ts';
import type { Signing } from './signing.ts';

export type Issuer = {
  readonly signing: Signing;
  readonly issuer: string;
  readonly reading: Reading;
  now(): Date;
};

/** What the kubelet asks for when it mounts `kube-api-access-…`. */
const kubeletSeconds = 3607;
const yearSeconds = 365 * 24 * 3600;

/** Answers a TokenRequest for the account; the token lives no longer than what it is bound to. */
export function issuedToken(
  serviceAccount: JsonObject,
  request: JsonObject,
  { signing, issuer, reading, now }: Issuer,
): JsonObject | Refusal {
  const spec = inside(request['spec']);
  const expirationSeconds = Number(spec['expirationSeconds'] ?? 3600);
  const wrong = invalidLifetime(expirationSeconds);
  if (wrong !== undefined) return wrong;
  const asked = isJsonObject(spec['boundObjectRef']) ? spec['boundObjectRef'] : null;
  const bound = asked === null ? {} : boundTo(asked, serviceAccount, reading);
  if (isRefusal(bound)) return bound;

  const audiences = texts(spec['audiences']).length === 0 ? [issuer] : texts(spec['audiences']);
  const at = now();
  const isOwn = audiences.every((audience) => audience === issuer);
  const life = lifeOf(expirationSeconds, isOwn && bound.pod !== undefined);
  const claims = claimsOf({ serviceAccount, bound, audiences, issuer, now: at, ...life });
  const expirationTimestamp = secondsOf(new Date(at.getTime() + expirationSeconds * 1000));
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...metadataFor(serviceAccount, at), ...metadataOf(request) },
    spec: { audiences, expirationSeconds, boundObjectRef: asked },
    status: { token: signing.signed(claims), expirationTimestamp },
  };
}

/** Old clients never read a mounted token again, so that it lives on after its time, under a warning. */
function lifeOf(seconds: number, isForPod: boolean) {
  const isMounted = isForPod && seconds === kubeletSeconds;
  return {
    seconds: isMounted ? yearSeconds : seconds,
    warnAfterSeconds: isMounted ? seconds : undefined,
  };
}

function metadataFor(serviceAccount: JsonObject, at: Date): JsonObject {
  return {
    name: nameOf(serviceAccount),
    namespace: namespaceOf(serviceAccount),
    uid: uidOf(serviceAccount),
    creationTimestamp: secondsOf(at),
  };
}

export function secondsOf(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}

function invalidLifetime(seconds: number): Refusal | undefined {
  const why =
    seconds < 600
      ? 'may not specify a duration less than 10 minutes'
      : seconds > 2 ** 32
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (why === undefined) return undefined;
  return invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest', name: '' }, [
    {
      field: 'spec.expirationSeconds',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${seconds}: ${why}`,
    },
  ]);
}

type Found = Readonly<Partial<Record<Bindable, JsonObject>>>;

const bindable: Readonly<Record<string, Bindable>> = { Pod: 'pod', Secret: 'secret', Node: 'node' };

function boundTo(asked: JsonObject, serviceAccount: JsonObject, reading: Reading): Found | Refusal {
  const { kind, apiVersion, name } = asked;
  const word = text(apiVersion).includes('/') ? undefined : bindable[text(kind)];
  if (word === undefined) {
    const type = `${text(apiVersion).includes('/') ? '' : '/'}${text(apiVersion)}, Kind=${text(kind)}`;
    return badRequest(`cannot bind token to object of type ${type}`);
  }
  const place = word === 'node' ? {} : { namespace: namespaceOf(serviceAccount) };
  const found = reading.find(`${word}s`, { ...place, name: text(name) });
  if (found === undefined) return notFound({ resource: `${word}s`, group: '', name: text(name) });
  return misfit(found, asked, serviceAccount) ?? { [word]: found, ...nodeOf(word, found, reading) };
}

function misfit(
  found: JsonObject,
  { kind, uid }: JsonObject,
  serviceAccount: JsonObject,
): Refusal | undefined {
  const account = nameOf(serviceAccount);
  if (kind === 'Pod' && inside(found['spec'])['serviceAccountName'] !== account) {
    return badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  }
  if (text(uid) === '' || uid === uidOf(found)) return undefined;
  const refused = conflict('Conflict', { resource: text(kind), group: '', name: nameOf(found) });
  const why = `the UID in the bound object reference (${text(uid)}) does not match the UID in record. The object might have been deleted and then recreated`;
  return withMessage(
    refused,
    `Operation cannot be fulfilled on ${text(kind)} "${nameOf(found)}": ${why}`,
  );
}

function withMessage(refused: Refusal, message: string): Refusal {
  return isJsonObject(refused.body) ? { ...refused, body: { ...refused.body, message } } : refused;
}

/** Of a node that is gone at least the name is told. */
function nodeOf(word: Bindable, pod: JsonObject, reading: Reading): Found {
  const name = text(inside(pod['spec'])['nodeName']);
  if (word !== 'pod' || name === '') return {};
  return { node: reading.find('nodes', { name }) ?? { metadata: { name } } };
}
