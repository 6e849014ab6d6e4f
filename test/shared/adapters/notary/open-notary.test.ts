import { describe, expect, it } from 'vitest';
import { type KeptFiles, keptFiles } from '#shared/adapters/notary/kept-files.ts';
import { openNotary } from '#shared/adapters/notary/open-notary.ts';
import type { Credentials } from '#shared/adapters/notary/session.ts';
import { type Outside, type OutsideAnswer, refused, unavailable } from '#shared/domain/outside.ts';
import { edited } from '#test/support/tuf/attack.ts';
import { answer, notaryServer, type Rule, wantsToken } from '#test/support/tuf/notary-server.ts';
import { type Delegated, publish } from '#test/support/tuf/publish.ts';
import {
  anchorOf,
  delegate,
  evilDigest,
  goodDigest,
  gun,
  plan,
  trust,
  wanted,
} from '#test/support/tuf/scene.ts';

const files = publish(plan);
const releases: Delegated = {
  ...{ name: 'targets/releases', signers: [delegate], paths: [''] },
  targets: { '1.0': goodDigest },
};
const url = new URL('https://notary.example/prefix/');
const ann: Credentials = { username: 'ann', password: 'se:cret', shownTo: ['auth.example'] };

type Setting = {
  readonly outside: Outside;
  readonly credentials?: Credentials;
  readonly kept?: KeptFiles;
};

async function verdictOf({ outside, credentials, kept = keptFiles(1 << 20) }: Setting) {
  const notary = openNotary({
    server: { url, reach: 'public', credentials },
    outside,
    files: kept,
  });
  const anchored = { ...trust, anchor: anchorOf(files) };
  return (await notary.verify(wanted, anchored, AbortSignal.timeout(10_000))).verdict;
}

const base = `https://notary.example/prefix/v2/${gun}/_trust/tuf`;

describe('a Notary', () => {
  it('is asked for the newest timestamp, and for the rest by its digest', async () => {
    const { outside, visits } = notaryServer(files);
    expect(await verdictOf({ outside })).toMatchObject({ kind: 'trusted' });
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
    await verdictOf({ outside: notaryServer(files).outside, kept });
    const { outside, visits } = notaryServer(files);
    expect(await verdictOf({ outside, kept })).toMatchObject({ kind: 'trusted' });
    expect(visits).toHaveLength(1);
  });

  it('that has rotated often lets others go on between one root and the next', async () => {
    const root = (version: number) => ({ ...plan, root: { ...plan.root, version } });
    const versions = Array.from({ length: 20 }, (_, at) => root(at + 1));
    // What is not signed under the root that is known makes the newer ones be looked for.
    const last = { ...root(21), timestamp: { signers: [delegate] } };
    const rotated = new Map([...versions, last].flatMap((each) => [...publish(each)]));
    const { outside } = notaryServer(rotated);
    let turns = 0;
    const beat = () => {
      turns += 1;
      beating = setImmediate(beat);
    };
    let beating = setImmediate(beat);
    expect(await verdictOf({ outside })).toMatchObject({ kind: 'trusted' });
    clearImmediate(beating);
    expect(turns).toBeGreaterThanOrEqual(19);
  });

  it('is asked once for the file of a delegation, while that of the targets is on its way', async () => {
    const delegated = publish({ ...plan, delegations: [releases] });
    const { outside, visits } = notaryServer(delegated);
    const [asked, given] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read: Outside['read'] = async (request) => {
      if (request.url.includes('/tuf/targets/releases.')) {
        asked.resolve();
        await given.promise.then(() => new Promise(setImmediate));
      }
      if (request.url.includes('/tuf/targets.')) await asked.promise;
      const told = await outside.read(request);
      if (request.url.includes('/tuf/targets.')) given.resolve();
      return told;
    };
    const verdict = await verdictOf({ outside: { ...outside, read } });
    expect(verdict).toMatchObject({ kind: 'trusted', by: { role: 'targets/releases' } });
    expect(visits.map((visit) => visit.url.slice(base.length + 1).split('.')[0])).toEqual([
      'timestamp',
      'snapshot',
      'targets',
      'targets/releases',
    ]);
  });

  it('believes nothing that was fetched ahead and that nobody delegated to', async () => {
    const delegated = { ...plan, delegations: [{ ...releases, targets: { '1.0': evilDigest } }] };
    const { outside, visits } = notaryServer(
      edited(delegated, {
        targets: (content) => ({ ...content, delegations: { keys: {}, roles: [] } }),
      }),
    );
    const verdict = await verdictOf({ outside });
    expect(verdict).toMatchObject({ kind: 'trusted', digest: goodDigest, by: { role: 'targets' } });
    expect(visits.at(-1)?.url).toContain('/tuf/targets/releases.');
  });

  it.each<[string, OutsideAnswer, object]>([
    ['401 without a challenge', answer(401), { kind: 'unavailable', why: 'unauthorized' }],
    ['403', answer(403), { kind: 'unavailable', why: 'unauthorized' }],
    ['404', answer(404), { kind: 'untrusted', why: 'no-trust-data' }],
    ['429', answer(429), { kind: 'unavailable', why: 'server-error' }],
    ['500', answer(500), { kind: 'unavailable', why: 'server-error' }],
    ['408', answer(408), { kind: 'unavailable', why: 'server-error' }],
    ['400', answer(400), { kind: 'unavailable', why: 'refused' }],
    ['204', answer(204), { kind: 'unavailable', why: 'refused' }],
    ['no metadata', answer(200, {}, 'hello'), { kind: 'untrusted', why: 'malformed' }],
    ['no end', refused('too-large', ''), { kind: 'untrusted', why: 'too-large' }],
    [
      'more than a timestamp may have',
      answer(200, {}, ' '.repeat(70_000)),
      { kind: 'untrusted', why: 'too-large' },
    ],
    [
      'an error at length',
      answer(502, {}, ' '.repeat(60_000)),
      { kind: 'unavailable', why: 'server-error' },
    ],
    ['nothing', unavailable('no-connection', ''), { kind: 'unavailable', why: 'unreachable' }],
    ['as a stranger', unavailable('tls', ''), { kind: 'unavailable', why: 'unreachable' }],
    ['too late', unavailable('too-slow', ''), { kind: 'unavailable', why: 'timeout' }],
    ['from within', refused('address', ''), { kind: 'unavailable', why: 'not-allowed' }],
    [
      'by a way to plain http',
      refused('redirect', ''),
      { kind: 'unavailable', why: 'not-allowed' },
    ],
  ])('that answers %s is understood', async (_, reply, expected) => {
    expect(await verdictOf({ outside: notaryServer(files, () => reply).outside })).toEqual({
      ...expected,
      role: 'timestamp',
    });
  });
});

describe('a page longer than the file that was asked for', () => {
  it.each<[string, OutsideAnswer, object]>([
    ['explains an error', answer(502, {}, ' '.repeat(60_000)), { why: 'server-error' }],
    ['stands in its place', answer(200, {}, ' '.repeat(60_000)), { why: 'bad-length' }],
    ['has no end', refused('too-large', ''), { why: 'bad-length' }],
  ])('and %s', async (_, reply, expected) => {
    const { outside } = notaryServer(files, ({ url }) =>
      url.includes('snapshot') ? reply : undefined,
    );
    expect(await verdictOf({ outside })).toMatchObject({ ...expected, role: 'snapshot' });
  });
});

describe('what a Notary wants to be shown', () => {
  it('is a token for this collection alone, fetched once', async () => {
    const { outside, visits } = notaryServer(files, wantsToken(undefined));
    expect(await verdictOf({ outside })).toMatchObject({ kind: 'trusted' });
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
    const { outside, visits } = notaryServer(files, rule);
    const setting = credentials === undefined ? { outside } : { outside, credentials };
    expect(await verdictOf(setting)).toMatchObject(expected);
    expect(visits.filter((visit) => !visit.url.startsWith('https:'))).toEqual([]);
  });

  it.each<[string, string, readonly string[], boolean]>([
    ['the Notary itself', 'https://notary.example/token', [], true],
    ['whom the operator names', 'https://auth.example/token', ['auth.example'], true],
    ['somebody else', 'https://auth.example/token', [], false],
    ['another port of the Notary', 'https://notary.example:8443/token', [], false],
    ['whoever ends like one', 'https://evil.auth.example/token', ['auth.example'], false],
  ])('goes to a token server that is %s accordingly', async (_, realm, shownTo, isShown) => {
    const { outside, visits } = notaryServer(files, challenged(`Bearer realm="${realm}"`));
    await verdictOf({ outside, credentials: { ...ann, shownTo } });
    const [asked] = visits.filter((visit) => visit.url.startsWith(realm));
    expect(asked?.authorization !== undefined).toBe(isShown);
  });

  it('is never shown before it is asked for', async () => {
    const { outside, visits } = notaryServer(files);
    await verdictOf({ outside, credentials: ann });
    expect(visits.map(({ authorization }) => authorization)).toEqual(visits.map(() => undefined));
  });
});

function wantsBasic(credentials: string): Rule {
  const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return ({ authorization }) =>
    authorization === expected
      ? undefined
      : answer(401, { 'www-authenticate': 'Basic realm="notary"' });
}

function challenged(challenge: string): Rule {
  return () => answer(401, { 'www-authenticate': challenge });
}

function noToken(body: string): Rule {
  return ({ url }) =>
    url.startsWith('https://auth.example/')
      ? answer(200, {}, body)
      : answer(401, { 'www-authenticate': 'Bearer realm="https://auth.example/"' });
}

function tooLargeToken(request: Parameters<Rule>[0]): OutsideAnswer | undefined {
  return request.url.startsWith('https://auth.example/')
    ? refused('too-large', '')
    : noToken('')(request);
}
