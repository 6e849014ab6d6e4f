import { createPublicKey, generateKeyPairSync, type JsonWebKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type OpenedAccess, openAccess } from '#infra/emulator/cluster/access/open-access.ts';
import { newSigningKey } from '#infra/emulator/cluster/access/tokens/signing.ts';
import type { Credentials } from '#infra/emulator/cluster/parts.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { objectsRead } from './objects-read.ts';

const signingKey = newSigningKey();

function object(kind: string, name: string, more: JsonObject = {}): JsonObject {
  const metadata = { ...(kind !== 'Node' && { namespace: 'home' }), name, uid: `${name}-uid` };
  return { apiVersion: 'v1', kind, metadata, ...more };
}

const robot = object('ServiceAccount', 'robot');
const pod = object('Pod', 'p', { spec: { serviceAccountName: 'robot', nodeName: 'n' } });

function opened(key = signingKey) {
  const clock = clockAt('2030-01-01T00:00:00Z');
  const reading = objectsRead(robot, pod, object('Secret', 's'), object('Node', 'n'));
  const tokens = new Map([['admin-token', { name: 'admin', groups: ['system:masters'] }]]);
  return {
    clock,
    reading,
    access: openAccess({ reading, tokens, signingKey: key, now: clock.now }),
  };
}

function bearing(token: string): Credentials {
  return { authorization: `Bearer ${token}`, certificate: undefined, impersonate: {} };
}

function tokenOf(access: OpenedAccess, spec: JsonObject = {}): string {
  const issued = access.issueToken(robot, { spec });
  if (isRefusal(issued)) throw new Error(JSON.stringify(issued.body));
  return String((issued['status'] as JsonObject)['token']);
}

function claimsIn(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

function bindingTo(kind: string, name: string, more: JsonObject = {}): JsonObject {
  return { boundObjectRef: { kind, apiVersion: 'v1', name, ...more } };
}

describe('a token of a service account', () => {
  it('has the claims of the real one', () => {
    const { access } = opened();
    const issued = Date.parse('2030-01-01T00:00:00Z') / 1000;
    expect(claimsIn(tokenOf(access, { expirationSeconds: 600 }))).toEqual({
      aud: ['https://kubernetes.default.svc.cluster.local'],
      exp: issued + 600,
      iat: issued,
      iss: 'https://kubernetes.default.svc.cluster.local',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': { namespace: 'home', serviceaccount: { name: 'robot', uid: 'robot-uid' } },
      nbf: issued,
      sub: 'system:serviceaccount:home:robot',
    });
  });

  it("lives for a year where it is the kubelet's, and says when to warn", () => {
    const { access } = opened();
    const token = tokenOf(access, { expirationSeconds: 3607, ...bindingTo('Pod', 'p') });
    const issued = Date.parse('2030-01-01T00:00:00Z') / 1000;
    expect(claimsIn(token)).toMatchObject({
      exp: issued + 365 * 24 * 3600,
      'kubernetes.io': { pod: { uid: 'p-uid' }, node: { uid: 'n-uid' }, warnafter: issued + 3607 },
    });
  });

  it('speaks for its account, with its pod and node beside', async () => {
    const { access } = opened();
    expect(await access.whoIs(bearing(tokenOf(access, bindingTo('Pod', 'p'))))).toMatchObject({
      name: 'system:serviceaccount:home:robot',
      uid: 'robot-uid',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:home', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)],
        'authentication.kubernetes.io/node-name': ['n'],
        'authentication.kubernetes.io/pod-uid': ['p-uid'],
      },
    });
  });

  it.each<[string, JsonObject, (world: ReturnType<typeof opened>) => void]>([
    ['its time is over', {}, ({ clock }) => clock.advanceMs(3_700_000)],
    [
      'its account is gone',
      {},
      ({ reading }) => reading.remove('serviceaccounts', { namespace: 'home', name: 'robot' }),
    ],
    [
      'its account is another one of that name',
      {},
      ({ reading }) =>
        reading.put({ ...robot, metadata: { namespace: 'home', name: 'robot', uid: 'new' } }),
    ],
    [
      'its secret is gone',
      bindingTo('Secret', 's'),
      ({ reading }) => reading.remove('secrets', { namespace: 'home', name: 's' }),
    ],
    [
      'its pod is another one of that name',
      bindingTo('Pod', 'p'),
      ({ reading }) =>
        reading.put({ ...pod, metadata: { namespace: 'home', name: 'p', uid: 'new' } }),
    ],
    [
      'its node is gone',
      bindingTo('Node', 'n'),
      ({ reading }) => reading.remove('nodes', { name: 'n' }),
    ],
  ])('is void when %s', async (_, spec, happens) => {
    const world = opened();
    const token = tokenOf(world.access, spec);
    expect(isRefusal(await world.access.whoIs(bearing(token)))).toBe(false);
    happens(world);
    expect(await world.access.whoIs(bearing(token))).toMatchObject({ code: 401 });
  });

  it.each([
    [
      'for another audience',
      ({ access }: ReturnType<typeof opened>) => tokenOf(access, { audiences: ['vault'] }),
    ],
    ['signed by another key', () => tokenOf(opened(newSigningKey()).access)],
    [
      'that nobody has signed',
      ({ access }: ReturnType<typeof opened>) => `${tokenOf(access).split('.', 2).join('.')}.`,
    ],
    [
      'with other claims than those signed',
      ({ access }: ReturnType<typeof opened>) => {
        const [header, , signature] = tokenOf(access).split('.');
        return `${header}.${Buffer.from('{"iss":"x"}').toString('base64url')}.${signature}`;
      },
    ],
    ['that is none', () => 'garbage'],
  ])('is refused %s', async (_, make) => {
    const world = opened();
    expect(await world.access.whoIs(bearing(make(world)))).toMatchObject({
      code: 401,
      body: { message: 'Unauthorized', reason: 'Unauthorized' },
    });
  });

  it.each<[string, JsonObject, number, string]>([
    [
      'for less than ten minutes',
      { expirationSeconds: 10 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    ],
    ['bound to a pod that is not there', bindingTo('Pod', 'x'), 404, 'pods "x" not found'],
    [
      'bound to a map',
      bindingTo('ConfigMap', 'x'),
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [
      'bound to another uid',
      bindingTo('Secret', 's', { uid: 'zz' }),
      409,
      'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (zz) does not match the UID in record. The object might have been deleted and then recreated',
    ],
  ])('is not made %s', (_, spec, code, message) => {
    expect(opened().access.issueToken(robot, { spec })).toMatchObject({ code, body: { message } });
  });

  it.each([
    ['ES256', signingKey],
    [
      'RS256',
      generateKeyPairSync('rsa', { modulusLength: 2048 })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
    ],
  ])('of %s is verified by the published keys alone', (alg, key) => {
    const { access } = opened(key);
    const { discovery, keySet } = access.openId('https://here');
    expect(discovery).toMatchObject({
      jwks_uri: 'https://here/openid/v1/jwks',
      id_token_signing_alg_values_supported: [alg],
    });
    const [jwk] = keySet['keys'] as unknown as readonly [JsonWebKey];
    const [header, body, signature = ''] = tokenOf(access).split('.');
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(
      verify('sha256', Buffer.from(`${header}.${body}`), by, Buffer.from(signature, 'base64url')),
    ).toBe(true);
  });
});

describe('a TokenReview', () => {
  const review = (access: OpenedAccess, spec: JsonObject) =>
    access.reviewed({ kind: 'TokenReview', spec }, { name: 'x', groups: [] });

  it('names the user and the audiences that both know', () => {
    const { access } = opened();
    const token = tokenOf(access, { audiences: ['vault', 'other'] });
    expect(review(access, { token, audiences: ['vault'] })).toMatchObject({
      status: {
        authenticated: true,
        user: { username: 'system:serviceaccount:home:robot', uid: 'robot-uid' },
        audiences: ['vault'],
      },
    });
  });

  it('says why a token is none, as the real server does', () => {
    const { access } = opened();
    const token = tokenOf(access);
    const error = (spec: JsonObject) => review(access, spec);
    expect(error({ token: 'garbage' })).toMatchObject({
      status: { user: {}, error: 'invalid bearer token' },
    });
    expect(error({ token, audiences: ['vault'] })).toMatchObject({
      status: {
        error:
          '[invalid bearer token, token audiences ["https://kubernetes.default.svc.cluster.local"] is invalid for the target audiences ["vault"]]',
      },
    });
    expect(error({ token: '' })).toMatchObject({ code: 400 });
  });
});
