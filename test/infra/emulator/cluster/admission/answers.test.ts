import { describe, expect, it } from 'vitest';
import { type Sent, verdictOf } from '#infra/emulator/cluster/admission/webhooks/answer.ts';
import { jsonPatched } from '#infra/emulator/cluster/admission/webhooks/json-patch.ts';
import {
  callFailed,
  deniedBy,
  internalError,
} from '#infra/emulator/cluster/admission/webhooks/refusing.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { jsonPatch } from './hook-server.ts';

const mutating: Sent = { uid: 'u', version: 'v1', phase: 'mutating' };
const validating: Sent = { ...mutating, phase: 'validating' };
const type = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };

function whyOf(body: unknown, sent = mutating, status = 200): string | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const verdict = verdictOf({ kind: 'answer', status, type: '', body: text }, sent);
  return verdict.kind === 'failed' ? verdict.why : verdict.kind;
}

function review(response: JsonObject): JsonObject {
  return { ...type, response: { uid: 'u', allowed: true, ...response } };
}

const invalid = 'received invalid webhook response:';
const failed = 'failed to call webhook:';

/** Each row was told by kube-apiserver v1.35.4. */
describe('the answer of a webhook', () => {
  it.each<[unknown, string]>([
    [
      review({ patch: 'W10=' }),
      `${invalid} webhook returned response.patch but not response.patchType`,
    ],
    [
      review({ patchType: 'JSONPatch' }),
      `${invalid} webhook returned response.patchType but not response.patch`,
    ],
    [review({ uid: 'nope' }), `${invalid} expected response.uid="u", got "nope"`],
    [type, `${invalid} webhook response was absent`],
    [
      { response: { uid: 'u', allowed: true } },
      `${invalid} expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
    ],
    [
      { ...review({}), kind: 'Foo' },
      `${failed} no kind "Foo" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`,
    ],
    [
      { ...review({}), apiVersion: 'admission.k8s.io/v1beta1' },
      `${failed} converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
    ],
    [
      'hello',
      `${failed} couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
    ['', `${failed} 0-length response with status code: 200 and content type: application/json`],
    [
      review({ allowed: 'yes' }),
      `${failed} json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
    ],
    [
      review({ patchType: 'JSONPatch', patch: 'bm8ganNvbg==' }),
      "received undecodable patch in webhook response: invalid character 'o' in literal null (expecting 'u')",
    ],
    [
      review({ patchType: 'JSONPatch', patch: 'eHk=' }),
      "received undecodable patch in webhook response: invalid character 'x' looking for beginning of value",
    ],
    [review({ patchType: 'Merge', patch: 'W10=' }), 'allowed'],
    [review({ patchType: 'Merge', patch: 'W3t9XQ==' }), 'unsupported patch type "Merge"'],
  ])('%j is taken as the real server takes it', (body, why) => {
    expect(whyOf(body)).toBe(why);
  });

  it.each<[JsonObject, string]>([
    [jsonPatch(), `${invalid} validating webhook may not return response.patch`],
    [{ patchType: 'JSONPatch' }, `${invalid} validating webhook may not return response.patchType`],
    [{}, 'allowed'],
    [{ allowed: false }, 'denied'],
  ])('%j that only checks changes nothing', (response, why) => {
    expect(whyOf(review(response), validating)).toBe(why);
  });

  it.each([
    [500, 'boom', 'an error on the server ("boom") has prevented the request from succeeding'],
    [404, '{"nothing":1}', 'the server could not find the requested resource'],
    [403, '{"kind":"Status","message":"no way"}', 'no way'],
    [503, '', 'the server is currently unable to handle the request'],
  ])('of code %i is told in the words of the real client', (status, body, why) => {
    expect(whyOf(body, mutating, status)).toBe(`${failed} ${why}`);
  });

  it('in version v1beta1 may leave out its uid and the kind of its patch', () => {
    const { patch = '' } = jsonPatch({ op: 'remove', path: '/a' });
    const answer = { kind: 'AdmissionReview', response: { allowed: true, patch } };
    const body = JSON.stringify(answer);
    expect(
      verdictOf(
        { kind: 'answer', status: 200, type: '', body },
        { ...mutating, version: 'v1beta1' },
      ),
    ).toMatchObject({ kind: 'allowed', patch: [{ op: 'remove', path: '/a' }] });
  });
});

describe('a denial', () => {
  it.each<[JsonObject, number, string]>([
    [{}, 400, 'admission webhook "h" denied the request without explanation'],
    [{ message: 'no', code: 418 }, 418, 'admission webhook "h" denied the request: no'],
    [{ reason: 'Forbidden' }, 400, 'admission webhook "h" denied the request: Forbidden'],
    [{ message: 'm', code: 200 }, 400, 'admission webhook "h" denied the request: m'],
  ])('with the status %j says who denied it and why', (status, code, message) => {
    expect(deniedBy('h', status)).toMatchObject({
      code,
      body: { message, code, status: 'Failure' },
    });
  });

  it('keeps the details that the webhook gave', () => {
    const details = { name: 'x', causes: [{ field: 'c' }] };
    expect(deniedBy('h', { details, reason: 'NotFound', code: 404 })).toMatchObject({
      body: { reason: 'NotFound', details },
    });
  });

  it('is an internal error where nobody could be asked', () => {
    const message = 'failed calling webhook "h": why';
    expect(callFailed('h', 'why')).toMatchObject({
      code: 500,
      body: {
        message: `Internal error occurred: ${message}`,
        reason: 'InternalError',
        details: { causes: [{ message }] },
      },
    });
  });
});

describe('the patch of a webhook', () => {
  const object = { metadata: { name: 'n', list: ['a', 'b'] } };
  const values = (result: ReturnType<typeof jsonPatched>) =>
    result.kind === 'patched' ? result.object['metadata'] : result.why;

  it.each<[JsonObject, unknown]>([
    [
      { op: 'add', path: '/metadata/a', value: 1 },
      { name: 'n', list: ['a', 'b'], a: 1 },
    ],
    [
      { op: 'add', path: '/metadata/list/1', value: 'x' },
      { name: 'n', list: ['a', 'x', 'b'] },
    ],
    [
      { op: 'add', path: '/metadata/list/-', value: 'x' },
      { name: 'n', list: ['a', 'b', 'x'] },
    ],
    [
      { op: 'remove', path: '/metadata/list/0' },
      { name: 'n', list: ['b'] },
    ],
    [
      { op: 'replace', path: '/metadata/name', value: 'm' },
      { name: 'm', list: ['a', 'b'] },
    ],
    [
      { op: 'move', from: '/metadata/name', path: '/metadata/b' },
      { b: 'n', list: ['a', 'b'] },
    ],
    [
      { op: 'copy', from: '/metadata/name', path: '/metadata/list/0' },
      { name: 'n', list: ['n', 'a', 'b'] },
    ],
    [
      { op: 'test', path: '/metadata/name', value: 'n' },
      { name: 'n', list: ['a', 'b'] },
    ],
    [
      { op: 'test', path: '/metadata/nothing', value: null },
      { name: 'n', list: ['a', 'b'] },
    ],
  ])('%j is applied', (operation, expected) => {
    expect(values(jsonPatched(object, [operation]))).toEqual(expected);
  });

  it.each<[JsonObject, string]>([
    [
      { op: 'remove', path: '/metadata/nothing' },
      "error in remove for path: '/metadata/nothing': Unable to remove nonexistent key: nothing: missing value",
    ],
    [
      { op: 'replace', path: '/spec/x/y', value: 1 },
      'replace operation does not apply: doc is missing path: /spec/x/y: missing value',
    ],
    [
      { op: 'add', path: '/spec/x', value: 1 },
      'add operation does not apply: doc is missing path: "/spec/x": missing value',
    ],
    [
      { op: 'add', path: '/metadata/list/9', value: 1 },
      "error in add for path: '/metadata/list/9': Unable to access invalid index: 9: invalid index referenced",
    ],
    [
      { op: 'test', path: '/metadata/name', value: 'z' },
      'testing value /metadata/name failed: test failed',
    ],
    [{ op: 'frob', path: '/metadata' }, 'Unexpected kind: frob'],
    [
      { op: 'move', from: '/nothing', path: '/metadata/b' },
      "error in move for path: 'nothing': Unable to remove nonexistent key: nothing: missing value",
    ],
  ])('%j does not fit, in the words of the real server', (operation, why) => {
    expect(values(jsonPatched(object, [operation]))).toBe(why);
    expect(internalError(why)).toMatchObject({
      body: { message: `Internal error occurred: ${why}` },
    });
  });
});
