import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { decode } from '#shared/domain/decode.ts';
import { modeLabel, userAnnotations } from '#shared/domain/image-trust/label-keys.ts';
import { namespaceRemarks } from '#shared/domain/image-trust/namespace-remarks.ts';
import { namespaceTrust } from '#shared/domain/image-trust/namespace-trust.ts';
import { imageTrustSettings } from '#shared/domain/image-trust/settings.ts';

type Marks = Readonly<Record<string, string>>;
type Own = Parameters<typeof settingsFixed>[0] extends infer P
  ? P extends { readonly imageTrust?: infer T }
    ? T
    : never
  : never;

const url = 'https://notary.team.example';
const { url: urlKey, allowed, timeout, strict } = userAnnotations;

const trusting = (own: Own = {}) => settingsFixed({ imageTrust: own }).current().imageTrust;
const trust = (labels: Marks, annotations: Marks = {}, own: Own = {}) =>
  namespaceTrust({ name: 'team-a', labels, annotations }, trusting(own));
const inMode = (mode: string, annotations: Marks = {}, own: Own = {}) =>
  trust({ [modeLabel]: mode }, annotations, own);

const release = {
  authorities: [
    {
      ...{ name: 'release', prefixes: [], keys: [], annotations: {}, servesFor: '24h' },
      keyless: { issuer: 'i', identity: 'me', identityPattern: '', trustedRoot: '' },
      signedName: 'if-stated' as const,
    },
  ],
};

describe('namespaceTrust', () => {
  it('has rules of a registry without TLS hold for the port that needs no saying too', () => {
    const own = { verifiers: ['cosign' as const], need: 'either' as const };
    const found = inMode(
      'system',
      {},
      {
        hosts: [{ host: 'a.io', plainHttp: true, addresses: [] }],
        registries: [{ prefix: 'a.io/team', ...own }],
      },
    );
    const prefixes =
      found.kind === 'rules' ? found.rules.registries.map((each) => each.prefix) : [];
    expect(prefixes).toEqual(['a.io/team', 'a.io:80/team/']);
  });

  it.each<[string, Marks]>([
    ['without a label', {}],
    ['with a label that nobody knows', { [modeLabel]: 'unknown' }],
    ['with an empty label', { [modeLabel]: '' }],
    ['in another case', { [modeLabel]: 'System' }],
    ['with the label of a pod', { 'pods.warden.kyma-project.io/validate': 'system' }],
  ])('T-M16 is off %s', (_, labels) => {
    expect(trust(labels)).toEqual({ kind: 'off' });
  });

  it.each(['enabled', 'system'])('T-M17 %s is the platform’s', (mode) => {
    const notary = {
      URL: 'https://notary.example',
      timeout: '22s',
      allowedRegistries: 'a.io/x, b.io',
      predefinedUserAllowedRegistries: 'c.io',
    };
    const annotated = { [urlKey]: url, [strict]: 'nonsense' };
    expect(inMode(mode, annotated, { notary, admission: { strictMode: false } })).toEqual({
      kind: 'rules',
      mode: 'system',
      isStrict: false,
      rules: {
        verifiers: [
          {
            kind: 'notary',
            url: 'https://notary.example',
            reach: 'internal',
            roles: ['targets/releases', 'targets'],
          },
        ],
        need: 'either',
        registries: [],
        allowed: ['a.io/x', 'b.io'],
        owner: 'platform',
        timeoutMs: 22_000,
      },
    });
  });

  it('T-M18 a user’s own has only to name its Notary', () => {
    const own = { notary: { predefinedUserAllowedRegistries: ['c.io'] } };
    expect(inMode('user', { [urlKey]: url }, own)).toEqual({
      kind: 'rules',
      mode: 'user',
      isStrict: true,
      rules: {
        verifiers: [
          { kind: 'notary', url, reach: 'public', roles: ['targets/releases', 'targets'] },
        ],
        need: 'either',
        registries: [],
        allowed: ['c.io'],
        owner: { namespace: 'team-a' },
        timeoutMs: 30_000,
      },
    });
  });

  it.each<[string, string, string, object]>([
    ['T-M19 a list with gaps', allowed, 'ala,ma,    \nkota', { allowed: ['ala', 'ma', 'kota'] }],
    [
      'a list with white space of all kinds',
      allowed,
      ' \n\n\n  test-1,  \t  test-2, \f\r\vtest-3',
      { allowed: ['test-1', 'test-2', 'test-3'] },
    ],
    ['an empty list', allowed, ' , ,', { allowed: [] }],
    ['T-M20 a timeout', timeout, '22s', { timeoutMs: 22_000 }],
    ['T-M20 a timeout beyond our bound', timeout, '77h', { timeoutMs: 60_000 }],
    ['a timeout that means none', timeout, '0', { timeoutMs: 60_000 }],
    [
      'a URL in another spelling',
      urlKey,
      'HTTPS://Notary.Team.example:443/a/../b c/',
      { verifiers: [expect.objectContaining({ url: 'https://notary.team.example/b%20c' })] },
    ],
    [
      'a URL with slashes behind it',
      urlKey,
      `${url}//`,
      {
        verifiers: [expect.objectContaining({ url })],
      },
    ],
  ])('reads %s', (_, key, value, rules) => {
    expect(inMode('user', { [urlKey]: url, [key]: value })).toMatchObject({ kind: 'rules', rules });
  });

  it('reads a thousand entries that need no signature, and tells of one more', () => {
    const entries = Array.from({ length: 1_000 }, (_, at) => `a.io/team-${at}`);
    const stated = (all: readonly string[]) =>
      inMode('user', { [urlKey]: url, [allowed]: all.join(',') });
    expect(stated(entries)).toMatchObject({ kind: 'rules', rules: { allowed: entries } });
    const problem = `${allowed}: it has 1001 entries, and no more than 1000 are read`;
    expect(stated([...entries, 'b.io'])).toMatchObject({ kind: 'broken', problems: [problem] });
  });

  it('tells of ten entries that cannot be read, and how many more there are', () => {
    const entries = Array.from({ length: 13 }, (_, at) => `A${at}-`);
    const found = inMode('user', { [urlKey]: url, [allowed]: entries.join(',') });
    const problems = found.kind === 'broken' ? found.problems : [];
    expect(problems).toHaveLength(11);
    expect(problems[9]).toContain('"A9-"');
    expect(problems[10]).toBe(`${allowed}: 3 more of its entries cannot be read`);
  });

  it.each<[string, boolean]>([
    ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as [string, boolean]),
    ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as [string, boolean]),
  ])('T-M11 T-M12 a user says strict: %s, whatever the platform says', (word, isStrict) => {
    const own = { admission: { strictMode: !isStrict } };
    expect(inMode('user', { [urlKey]: url, [strict]: word }, own)).toMatchObject({ isStrict });
  });

  it.each<[string, Marks, string]>([
    ['T-M21 no URL', {}, `${urlKey}: notary URL is not set`],
    ['an empty URL', { [urlKey]: '' }, `${urlKey}: notary URL is not set`],
    ['no URL at all', { [urlKey]: 'notary' }, `${urlKey}: it is no URL`],
    ['plain http', { [urlKey]: 'http://n.example' }, `${urlKey}: it must begin with https://`],
    ['a file', { [urlKey]: 'file:///etc/passwd' }, `${urlKey}: it must begin with https://`],
    ['a password', { [urlKey]: 'https://a:b@n.example' }, `${urlKey}: it must hold no credentials`],
    [
      'a NUL in its path',
      { [urlKey]: `${url}/a\0b` },
      `${urlKey}: it must hold no control characters`,
    ],
    [
      'a line break in its host',
      { [urlKey]: 'https://n.ex\nample' },
      `${urlKey}: it must hold no control characters`,
    ],
    [
      'a URL that does not end',
      { [urlKey]: `${url}/${'a'.repeat(1_000)}` },
      `${urlKey}: it is longer than 1000 characters`,
    ],
    [
      'a URL that does not end when it is written out',
      { [urlKey]: `${url}/${'é'.repeat(300)}` },
      `${urlKey}: it is longer than 1000 characters`,
    ],
    ['a query', { [urlKey]: `${url}/?a=b` }, `${urlKey}: it must end with its path`],
    [
      'X-M1 strictness',
      { [urlKey]: url, [strict]: 'yes' },
      `${strict}: "yes" is neither true nor false`,
    ],
    [
      'X-M2 a number of something',
      { [urlKey]: url, [timeout]: '30' },
      `${timeout}: "30" is no duration such as 30s or 1m30s`,
    ],
    [
      'X-M2 no time',
      { [urlKey]: url, [timeout]: '' },
      `${timeout}: "" is no duration such as 30s or 1m30s`,
    ],
    [
      'a time before now',
      { [urlKey]: url, [timeout]: '-1s' },
      `${timeout}: "-1s" is no duration such as 30s or 1m30s`,
    ],
    [
      'an entry that is no image',
      { [urlKey]: url, [allowed]: 'a.io/b, a.io/B' },
      `${allowed}: "a.io/B" is no name of an image: its repository must be lowercase`,
    ],
  ])('is broken by %s', (_, annotations, problem) => {
    expect(inMode('user', annotations)).toEqual({
      kind: 'broken',
      mode: 'user',
      problems: [problem],
    });
  });

  it('tells all that is wrong at once', () => {
    const found = inMode('user', { [allowed]: 'a.io/B', [timeout]: 'soon', [strict]: '' });
    expect(found.kind === 'broken' && found.problems).toHaveLength(4);
  });

  it.each<[string, readonly string[], boolean]>([
    ['is listed', ['notary.team.example'], true],
    ['is listed with the usual port', ['notary.team.example:443'], true],
    ['is none of those listed', ['notary.example'], false],
    ['only ends like one that is', ['team.example'], false],
  ])('takes a user’s host that %s accordingly', (_, userHosts, isTaken) => {
    const found = inMode('user', { [urlKey]: url }, { userHosts: [...userHosts] });
    expect(found.kind).toBe(isTaken ? 'rules' : 'broken');
  });

  it('has other verifiers for the namespaces that are named, the first that names one', () => {
    const named = (
      names: string[],
      verifiers: ('notary' | 'cosign')[],
      need: 'either' | 'all',
    ) => ({
      names,
      verifiers,
      need,
      registries: [],
    });
    const namespaces = [
      named(['else'], ['notary'], 'either'),
      { ...named(['team-a'], ['cosign', 'notary'], 'all'), authorities: ['release'] },
      named(['team-a'], ['notary'], 'either'),
    ];
    expect(inMode('system', {}, { namespaces, cosign: release })).toMatchObject({
      rules: {
        need: 'all',
        verifiers: [{ kind: 'cosign', authorities: ['release'] }, { kind: 'notary' }],
      },
    });
  });

  it.each([
    ['team-a', true],
    ['prod-*', false],
    ['', false],
    ['Team', false],
    ['team-a, team-b', false],
  ])('is for namespaces by their names: %j is read %s', (name, isRead) => {
    const namespaces = [{ names: [name], verifiers: ['cosign'], need: 'all' }];
    expect(decode(imageTrustSettings, { namespaces }).ok).toBe(isRead);
  });

  const byCosign = { prefix: 'a.io/x', verifiers: ['cosign' as const], need: 'either' as const };
  const notaries = { prefix: 'b.io', verifiers: ['notary' as const], need: 'all' as const };

  it('has other verifiers for the registries that are named', () => {
    const registries = [{ ...byCosign, authorities: ['release'] }, notaries];
    expect(inMode('system', {}, { registries, cosign: release })).toMatchObject({
      rules: {
        verifiers: [{ kind: 'notary' }],
        registries: [
          {
            prefix: 'a.io/x',
            need: 'either',
            verifiers: [{ kind: 'cosign', authorities: ['release'] }],
          },
          { prefix: 'b.io', need: 'all', verifiers: [{ kind: 'notary', reach: 'internal' }] },
        ],
      },
    });
  });

  it('keeps what is said of a namespace clear of what is said of registries elsewhere', () => {
    const of = { names: ['team-a'], verifiers: ['notary' as const], need: 'all' as const };
    const rulesOf = (own: Own) => {
      const found = inMode('system', {}, own);
      return found.kind === 'rules' && found.rules.registries.map(({ prefix }) => prefix);
    };
    const namespaces = [{ ...of, registries: [] }];
    expect(rulesOf({ namespaces, registries: [byCosign] })).toEqual([]);
    const own = [{ ...of, registries: [notaries] }];
    expect(rulesOf({ namespaces: own, registries: [byCosign] })).toEqual(['b.io']);
  });

  it('asks a user’s own Notary where a registry wants one', () => {
    const own = { verifiers: ['cosign' as const], registries: [notaries] };
    expect(inMode('user', {}, own)).toMatchObject({ kind: 'broken' });
    expect(inMode('user', { [urlKey]: url }, own)).toMatchObject({
      rules: { registries: [{ verifiers: [{ kind: 'notary', url, reach: 'public' }] }] },
    });
  });

  it('needs no Notary of a user where none is asked', () => {
    expect(inMode('user', {}, { verifiers: ['cosign'] })).toMatchObject({
      kind: 'rules',
      rules: { verifiers: [{ kind: 'cosign', authorities: [] }] },
    });
  });
});

describe('namespaceRemarks', () => {
  const remarks = (labels: Marks, annotations: Marks = {}) =>
    namespaceRemarks({ name: 'team-a', labels, annotations }, trusting());

  it.each<[string, Marks, Marks, readonly string[]]>([
    ['without the label', {}, {}, []],
    ['that is whole', { [modeLabel]: 'user' }, { [urlKey]: url }, []],
    ['of the platform’s mode', { [modeLabel]: 'system' }, { [strict]: 'yes' }, []],
    [
      'with a mode that is none',
      { [modeLabel]: 'User' },
      {},
      [`${modeLabel}: "User" is neither system nor user, so that no image is verified here`],
    ],
    [
      'whose annotations are broken',
      { [modeLabel]: 'user' },
      {},
      [`${urlKey}: notary URL is not set; until it is mended, no pod is admitted here`],
    ],
  ])('of a namespace %s', (_, labels, annotations, expected) => {
    expect(remarks(labels, annotations)).toEqual(expected);
  });
});
