import { describe, expect, it } from 'vitest';
import type { Credentials, Fetch, FetchReply } from '#shared/adapters/notary/fetch.ts';
import { type KeptFiles, keptFiles } from '#shared/adapters/notary/kept-files.ts';
import { openNotary } from '#shared/adapters/notary/open-notary.ts';
import { answer, notaryServer, type Rule, wantsToken } from '#test/support/tuf/notary-server.ts';
import { publish } from '#test/support/tuf/publish.ts';
import { anchorOf, gun, plan, trust, wanted } from '#test/support/tuf/scene.ts';

const files = publish(plan);
const url = new URL('https://notary.example/prefix/');
const ann: Credentials = { username: 'ann', password: 'se:cret' };

type Setting = {
  readonly fetch: Fetch;
  readonly credentials?: Credentials;
  readonly kept?: KeptFiles;
};

async function verdictOf({ fetch, credentials, kept = keptFiles(1 << 20) }: Setting) {
  const notary = openNotary({ server: { url, credentials }, fetch, files: kept });
  const anchored = { ...trust, anchor: anchorOf(files) };
  return (await notary.verify(wanted, anchored, AbortSignal.timeout(10_000))).verdict;
}

const base = `https://notary.example/prefix/v2/${gun}/_trust/tuf`;

describe('a Notary', () => {
  it('is asked for the newest timestamp, and for the rest by its digest', async () => {
    const { fetch, visits } = notaryServer(files);
    expect(await verdictOf({ fetch })).toMatchObject({ kind: 'trusted' });
    const names = visits.map((visit) => visit.url.slice(base.length + 1));
    expect(names).toEqual([
      'timestamp.json',
      expect.stringMatching(/^snapshot\.[0-9a-f]{64}\.json$/),
      expect.stringMatching(/^targets\.[0-9a-f]{64}\.json$/),
    ]);
    expect(visits.every((visit) => visit.url.startsWith(base))).toBe(true);
  });

  it('is asked for nothing but the timestamp while that names the same snapshot', async () => {
    const kept = keptFiles(1 << 20);
    await verdictOf({ fetch: notaryServer(files).fetch, kept });
    const { fetch, visits } = notaryServer(files);
    expect(await verdictOf({ fetch, kept })).toMatchObject({ kind: 'trusted' });
    expect(visits).toHaveLength(1);
  });

  it.each<[string, FetchReply, object]>([
    ['401 without a challenge', answer(401), { kind: 'unavailable', why: 'unauthorized' }],
    ['403', answer(403), { kind: 'unavailable', why: 'unauthorized' }],
    ['404', answer(404), { kind: 'untrusted', why: 'no-trust-data' }],
    ['429', answer(429), { kind: 'unavailable', why: 'server-error' }],
    ['500', answer(500), { kind: 'unavailable', why: 'server-error' }],
    ['204', answer(204), { kind: 'unavailable', why: 'server-error' }],
    ['no metadata', answer(200, {}, 'hello'), { kind: 'untrusted', why: 'malformed' }],
    ['no end', { kind: 'too-large', status: 200 }, { kind: 'untrusted', why: 'too-large' }],
    [
      'an error that has no end',
      { kind: 'too-large', status: 502 },
      { kind: 'unavailable', why: 'unreachable' },
    ],
    ['nothing', { kind: 'unreachable' }, { kind: 'unavailable', why: 'unreachable' }],
    ['too late', { kind: 'timeout' }, { kind: 'unavailable', why: 'timeout' }],
  ])('that answers %s is understood', async (_, reply, expected) => {
    expect(await verdictOf({ fetch: async () => reply })).toEqual({
      ...expected,
      role: 'timestamp',
    });
  });
});

describe('what a Notary wants to be shown', () => {
  it('is a token for this collection alone, fetched once', async () => {
    const { fetch, visits } = notaryServer(files, wantsToken(undefined));
    expect(await verdictOf({ fetch })).toMatchObject({ kind: 'trusted' });
    const [token, ...others] = visits.filter((visit) => visit.url.includes('auth.example'));
    const scope = encodeURIComponent(`repository:${gun}:pull`);
    expect(token?.url).toBe(`https://auth.example/token?service=notary.example&scope=${scope}`);
    expect(others).toEqual([]);
  });

  it.each<[string, Rule, Credentials | undefined, object]>([
    ['a token for credentials', wantsToken('ann:se:cret'), ann, { kind: 'trusted' }],
    ['a token, with false credentials', wantsToken('ann:x'), ann, { why: 'unauthorized' }],
    ['a token, without the credentials', wantsToken('ann:x'), undefined, { why: 'unauthorized' }],
    ['credentials', wantsBasic('ann:se:cret'), ann, { kind: 'trusted' }],
    ['credentials, and they are false', wantsBasic('ann:x'), ann, { why: 'unauthorized' }],
    ['credentials where there are none', wantsBasic('a:b'), undefined, { why: 'unauthorized' }],
    ['a token that is not given', noToken('{}'), undefined, { why: 'unauthorized' }],
    [
      'a token that breaks lines',
      noToken('{"token":"a\\r\\nb: c"}'),
      undefined,
      { why: 'unauthorized' },
    ],
    ['a token of an endless server', tooLargeToken, undefined, { why: 'unreachable' }],
    ['a way that is none', challenged('Digest realm="x"'), ann, { why: 'unauthorized' }],
    [
      'a token by plain http',
      challenged('Bearer realm="http://auth.example/"'),
      ann,
      { why: 'unauthorized' },
    ],
    [
      'a token from a file',
      challenged('Bearer realm="file:///etc/passwd"'),
      ann,
      { why: 'unauthorized' },
    ],
  ])('may be %s', async (_, rule, credentials, expected) => {
    const { fetch, visits } = notaryServer(files, rule);
    const setting = credentials === undefined ? { fetch } : { fetch, credentials };
    expect(await verdictOf(setting)).toMatchObject(expected);
    expect(visits.filter((visit) => !visit.url.startsWith('https:'))).toEqual([]);
  });

  it('is never shown before it is asked for', async () => {
    const { fetch, visits } = notaryServer(files);
    await verdictOf({ fetch, credentials: ann });
    expect(visits.map(({ authorization }) => authorization)).toEqual(visits.map(() => undefined));
  });
});

describe('a redirect', () => {
  const to = (location: string): Rule => {
    return (request) =>
      request.url.host === 'notary.example' && request.headers['authorization'] !== undefined
        ? answer(307, { location: location + request.url.pathname })
        : undefined;
  };

  it.each([
    ['to another host, without what we showed', 'https://mirror.example', undefined],
    ['to another port, without what we showed', 'https://notary.example:444', undefined],
  ])('is followed %s', async (_, location, shown) => {
    const rules = [to(location), basicAt('notary.example')];
    const { fetch, visits } = notaryServer(files, ...rules);
    expect(await verdictOf({ fetch, credentials: ann })).toMatchObject({ kind: 'trusted' });
    const there = visits.filter((visit) => visit.url.startsWith(`${location}/`));
    expect(there.length).toBeGreaterThan(0);
    expect(new Set(there.map(({ authorization }) => authorization))).toEqual(new Set([shown]));
  });

  it.each([
    ['to plain http', 'http://mirror.example'],
    ['with credentials in it', 'https://a:b@mirror.example'],
    ['to a file', 'file://'],
    ['that never ends', 'https://notary.example'],
  ])('is not followed %s', async (_, location) => {
    const rules = [to(location), basicAt('notary.example')];
    const { fetch, visits } = notaryServer(files, ...rules);
    const verdict = await verdictOf({ fetch, credentials: ann });
    expect(verdict).toMatchObject({ kind: 'unavailable' });
    expect(visits.length).toBeLessThan(10);
    expect(visits.filter((visit) => !visit.url.startsWith('https://notary.example'))).toEqual([]);
  });
});

function wantsBasic(credentials: string): Rule {
  const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return ({ headers }) =>
    headers['authorization'] === expected
      ? undefined
      : answer(401, { 'www-authenticate': 'Basic realm="notary"' });
}

function basicAt(host: string): Rule {
  return (request) => (request.url.host === host ? wantsBasic('ann:se:cret')(request) : undefined);
}

function challenged(challenge: string): Rule {
  return () => answer(401, { 'www-authenticate': challenge });
}

function noToken(body: string): Rule {
  return ({ url: { host } }) =>
    host === 'auth.example'
      ? answer(200, {}, body)
      : answer(401, { 'www-authenticate': 'Bearer realm="https://auth.example/"' });
}

function tooLargeToken(request: Parameters<Rule>[0]): FetchReply | undefined {
  return request.url.host === 'auth.example'
    ? { kind: 'too-large', status: 200 }
    : noToken('')(request);
}
