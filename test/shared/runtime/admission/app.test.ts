import { describe, expect, it } from 'vitest';
import { defineAdmission } from '#shared/define.ts';
import { anything, record, text } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { allow, deny, patch } from '#shared/domain/verdict.ts';
import { answerOf, ask, podWith, post, reviewOf, stage } from '../../../support/admission.ts';
import addLandscape from '../../../support/functions/add-landscape.ts';
import mirrorRegistry from '../../../support/functions/mirror-registry.ts';
import stampImages, { stamp } from '../../../support/functions/stamp-images.ts';

const samples = [addLandscape, stampImages, mirrorRegistry];
const fused = '/mutate/pods';

const validator = defineAdmission({
  name: 'forbid-latest',
  capability: 'samples',
  phase: 'validate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: record({ spec: record({ image: text }) }),
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'deny',
  handler: ({ object }) =>
    object.spec.image.endsWith(':latest') ? deny('latest is no version') : allow('looks fine'),
});

describe('an unreadable review', () => {
  it.each<[string, string, Record<string, string>, number, RegExp]>([
    ['a wrong content type', '{}', { 'content-type': 'text/yaml' }, 400, /application\/json/],
    ['no content type', '{}', { 'content-type': '' }, 400, /application\/json/],
    ['an empty body', '', {}, 400, /no body/],
    ['a body of blanks', ' \n', {}, 400, /no body/],
    ['what is not JSON', '{"kind":', {}, 400, /not JSON/],
    ['a JSON list', '[]', {}, 400, /\$: expected an object/],
    ['another kind', '{"apiVersion":"v1","kind":"Pod"}', {}, 400, /\$\.apiVersion/],
    [
      'an unknown version',
      '{"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview"}',
      {},
      400,
      /one of admission.k8s.io\/v1, admission.k8s.io\/v1beta1/,
    ],
    [
      'a review without a request',
      '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}',
      {},
      400,
      /\$\.request/,
    ],
  ])(
    'that is %s is answered with a review inside HTTP 200',
    async (_, body, headers, code, why) => {
      const { app, counted } = await stage({ functions: samples });
      const answer = await ask(app, fused, body, headers);

      expect(answer).toMatchObject({ status: 200, allowed: false, code });
      expect(answer.message).toMatch(why);
      expect(counted).toContainEqual({ what: 'unreadable', name: String(code), kind: '' });
    },
  );

  it('gives the uid and the version back where they can be read', async () => {
    const { app } = await stage({ functions: samples });
    const broken = {
      apiVersion: 'admission.k8s.io/v1beta1',
      kind: 'AdmissionReview',
      request: { uid: 'u-1', operation: 'PAINT' },
    };
    const answer = await ask(app, fused, broken);
    expect(answer).toMatchObject({ uid: 'u-1', version: 'admission.k8s.io/v1beta1', code: 400 });
  });

  it('needs no old object', async () => {
    const { app } = await stage({ functions: samples });
    const { oldObject: _, ...request } = reviewOf({ object: podWith('a') })[
      'request'
    ] as JsonObject;
    const review = { ...reviewOf({}), request };
    expect((await ask(app, fused, review)).allowed).toBe(true);
  });

  it('accepts a charset beside the content type', async () => {
    const { app } = await stage({ functions: samples });
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await ask(app, fused, reviewOf({ object: podWith('a') }), headers)).allowed).toBe(true);
  });

  it.each(['stated in its length', 'counted as it comes'])(
    'is refused with 413 when it is too long, %s',
    async (how) => {
      const { app } = await stage({
        functions: samples,
        settings: { server: { maxBodyBytes: 1_000 } },
      });
      const body = JSON.stringify(reviewOf({ object: podWith('x'.repeat(2_000)) }));
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (how === 'stated in its length') headers['content-length'] = String(body.length);

      const answer = await answerOf(await app.request(fused, { method: 'POST', body, headers }));
      expect(answer).toMatchObject({ status: 200, allowed: false, code: 413 });
    },
  );

  it.each([
    ['GET', fused],
    ['POST', '/nowhere'],
    ['POST', '/mutate/nobody'],
    ['POST', '/'],
  ])('is no review at %s %s: 404', async (method, path) => {
    const { app } = await stage({ functions: samples });
    const body = method === 'GET' ? {} : { body: '{}' };
    expect((await app.request(path, { method, ...body })).status).toBe(404);
  });
});

describe('a denial', () => {
  const denying = (...reasons: readonly [string, ...string[]]) =>
    defineAdmission({
      ...validator,
      schema: anything,
      handler: () => deny(...reasons),
    });

  it.each<[string, readonly [string, ...string[]]]>([
    ['many reasons', ['no', ...Array.from({ length: 20_000 }, (_, at) => `a${at}: no`)]],
    ['a long reason', ['x'.repeat(1_000_000)]],
    ['a long reason in characters of two places', ['\u{1f600}'.repeat(100_000)]],
    ['nothing but separators', ['', ...Array.from({ length: 20_000 }, () => '')]],
  ])('for %s is cut alike in the answer and in the log', async (_, reasons) => {
    const { app, logged } = await stage({ functions: [denying(...reasons)] });
    const { message } = await ask(app, '/validate/forbid-latest', reviewOf({ object: {} }));
    expect([...message]).toHaveLength(8_192);
    expect(message.endsWith('…')).toBe(true);
    const fields = logged.flatMap((each) => (each.message === 'denied' ? [each.fields] : []));
    expect(fields).toMatchObject([{ function: 'forbid-latest', code: 403, why: message }]);
    expect(JSON.stringify(fields).length).toBeLessThan(20_000);
  });
});

describe('an answer', () => {
  it.each(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'])(
    'speaks the version asked, %s, and copies the uid',
    async (apiVersion) => {
      const { app } = await stage({ functions: samples });
      const review = reviewOf({ object: podWith('a'), apiVersion, uid: 'u-77' });
      expect(await ask(app, fused, review)).toMatchObject({ version: apiVersion, uid: 'u-77' });
    },
  );

  it('says nothing of a patch where nothing changes', async () => {
    const { app } = await stage({ functions: [mirrorRegistry] });
    const response = await post(app, fused, reviewOf({ object: podWith('elsewhere.test/a:1') }));
    expect(await response.json()).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: '0f1e2d3c-0000-4000-8000-000000000001', allowed: true },
    });
  });

  it('keeps the reason of a change to itself', async () => {
    const { app } = await stage({ functions: [mirrorRegistry] });
    const { operations } = await ask(
      app,
      fused,
      reviewOf({ object: podWith('registry.test/a:1') }),
    );
    expect(operations).toEqual([
      { op: 'replace', path: '/spec/containers/0/image', value: 'mirror.test/a:1' },
    ]);
  });

  it('carries text beyond Latin-1 in its patch', async () => {
    const { app } = await stage({ functions: [stampImages] });
    const { operations } = await ask(app, fused, reviewOf({ object: podWith('bär/日本:1') }));
    expect(operations).toMatchObject([{ value: { [stamp]: 'bär/日本:1' } }]);
  });

  it('denies with its reasons and its code, and lets through with its warnings', async () => {
    const { app } = await stage({ functions: [validator] });
    const path = '/validate/forbid-latest';
    const denied = await ask(app, path, reviewOf({ object: { spec: { image: 'a:latest' } } }));
    const fine = await ask(app, path, reviewOf({ object: { spec: { image: 'a:1' } } }));

    expect(denied).toMatchObject({ allowed: false, code: 403, message: 'latest is no version' });
    expect(fine).toMatchObject({ allowed: true, warnings: ['looks fine'] });
  });

  it('cuts warnings to what an API server hands on', async () => {
    const chatty = defineAdmission({
      ...validator,
      name: 'chatty',
      schema: anything,
      handler: () =>
        allow('line\nbreak\u0007', 'ä'.repeat(400), ...Array(30).fill('w'.repeat(256))),
    });
    const { app } = await stage({ functions: [chatty] });
    const { warnings } = await ask(app, '/validate/chatty', reviewOf({ object: {} }));

    expect(warnings[0]).toBe('line break');
    expect(warnings[1]).toBe(`${'ä'.repeat(255)}…`);
    expect(warnings.join('').length).toBeLessThanOrEqual(4_096);
  });

  it('hands audit annotations on under the name of their function, without keys that are none', async () => {
    const audited = defineAdmission({
      ...validator,
      name: 'audited',
      schema: anything,
      handler: () => ({ ...allow(), audit: { verdict: 'fine', 'not a key': 'x' } }),
    });
    const { app } = await stage({ functions: [audited] });
    const { audit } = await ask(app, '/validate/audited', reviewOf({ object: {} }));
    expect(audit).toEqual({ 'audited.verdict': 'fine' });
  });

  it('leaves a patch out that no API server would take', async () => {
    const huge = defineAdmission({
      ...validator,
      name: 'huge',
      phase: 'mutate',
      schema: anything,
      handler: () =>
        patch([
          { op: 'add', path: '/metadata/annotations', value: { a: 'x'.repeat(4e6) }, why: '' },
        ]),
    });
    const { app } = await stage({ functions: [huge] });
    const answer = await ask(app, '/mutate/huge', reviewOf({ object: podWith('a') }));
    expect(answer).toMatchObject({ allowed: true, operations: [] });
    expect(answer.warnings[0]).toMatch(/too large/);
  });
});

describe('the paths', () => {
  const upstream = (name: string, service: string) =>
    defineAdmission({
      ...stampImages,
      name,
      replaces: { configuration: 'c', webhook: 'w', service, path: '/mutate--v1-pod' },
      handler: () => ({ ...allow(name) }),
    });
  const functions = [
    upstream('from-snatch', 'kim-snatch-webhook-service'),
    upstream('from-bootstrapper', 'rt-bootstrapper-webhook-service'),
  ];

  it.each([
    ['kim-snatch-webhook-service.kyma-system.svc:443', ['from-snatch']],
    ['rt-bootstrapper-webhook-service.kyma-system.svc', ['from-bootstrapper']],
    ['10.0.0.7:9443', ['from-bootstrapper', 'from-snatch']],
    ['kim-snatch-webhook-service-2.kyma-system.svc', ['from-bootstrapper', 'from-snatch']],
  ])('of the replaced systems are told apart by the Host %s', async (host, expected) => {
    const { app } = await stage({ functions });
    const { warnings } = await ask(app, '/mutate--v1-pod', reviewOf({ object: podWith('a') }), {
      host,
    });
    expect(warnings.toSorted()).toEqual(expected);
  });

  it('of the replaced systems are told apart by SNI as well', async () => {
    const { app } = await stage({ functions });
    const body = JSON.stringify(reviewOf({ object: podWith('a') }));
    const servername = 'kim-snatch-webhook-service.kyma-system.svc';
    const response = await app.request(
      '/mutate--v1-pod',
      { method: 'POST', body, headers: { 'content-type': 'application/json' } },
      { incoming: { socket: { servername } } },
    );
    expect((await answerOf(response)).warnings).toEqual(['from-snatch']);
  });

  it('follow the settings: a function that begins to fail closed leaves the shared entry', async () => {
    const choosy = defineAdmission({
      ...stampImages,
      name: 'choosy',
      onFailure: { setting: 'custom.choosy', fallback: 'allow-with-warning' },
      handler: () => allow('asked'),
    });
    const { app, settings } = await stage({ functions: [choosy] });
    const review = reviewOf({ object: podWith('a') });
    expect((await ask(app, fused, review)).warnings).toEqual(['asked']);

    settings.change({ custom: { choosy: 'deny' } });
    expect((await post(app, fused, review)).status).toBe(404);
    expect((await ask(app, '/mutate/choosy', review)).warnings).toEqual(['asked']);
  });
});
