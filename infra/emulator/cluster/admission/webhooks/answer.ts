import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { inside, objects, text, texts } from '../../access/stated.ts';
import type { Answered } from '../reaching/posting.ts';
import { goJsonError } from './go-json.ts';
import type { Phase } from './hook.ts';
import type { ReviewVersion } from './review.ts';
import { statusWords } from './status-words.ts';

export type Verdict =
  | { readonly kind: 'allowed'; readonly patch: readonly JsonObject[]; readonly said: Said }
  | { readonly kind: 'denied'; readonly status: JsonObject; readonly said: Said }
  /** What the failure policy is for. */
  | { readonly kind: 'failed'; readonly why: string };

export type Said = {
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
};

export type Sent = {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly phase: Phase;
};

/** What a webhook has answered, as strictly as the real server takes it. */
export function verdictOf(answered: Answered, sent: Sent): Verdict {
  if (answered.kind === 'unreachable') return failedCall(answered.why);
  const { status, type, body } = answered;
  if (status < 200 || status > 206) return failedCall(statusWords(status, type, body));
  if (body === '')
    return failedCall(
      `0-length response with status code: ${status} and content type: ${type || 'application/json'}`,
    );
  const review = parsed(body);
  if (typeof review === 'string') return failedCall(review);
  const why = wrongType(review, sent.version);
  return why === undefined ? verdictIn(review, sent) : failedCall(why);
}

function failedCall(why: string): Verdict {
  return { kind: 'failed', why: `failed to call webhook: ${why}` };
}

function invalid(why: string): Verdict {
  return { kind: 'failed', why: `received invalid webhook response: ${why}` };
}

const goType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** A review, or why there is none. Plain text is a YAML string to the real server. */
function parsed(body: string): JsonObject | string {
  const value = jsonIn(body);
  if (isJsonObject(value)) return value;
  const found = isList(value) ? 'array' : typeof value === 'number' ? 'number' : 'string';
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into Go value of type ${goType}`;
}

function jsonIn(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}

function wrongType(review: JsonObject, version: ReviewVersion): string | undefined {
  const { apiVersion, kind, response } = review;
  const own = `admission.k8s.io/${version}`;
  if (text(kind) !== '' && kind !== 'AdmissionReview') {
    return `no kind "${text(kind)}" is registered for version "${text(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`;
  }
  if (text(apiVersion) !== '' && apiVersion !== own) {
    const [sent] = text(apiVersion).split('/').slice(-1);
    return `converting (${sent}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`;
  }
  const { allowed } = inside(response);
  return allowed === undefined || typeof allowed === 'boolean'
    ? undefined
    : `json: cannot unmarshal ${goKind(allowed)} into Go struct field AdmissionResponse.response.allowed of type bool`;
}

function goKind(value: Json): string {
  if (isList(value)) return 'array';
  return value !== null && typeof value === 'object' ? 'object' : typeof value;
}

function verdictIn(review: JsonObject, sent: Sent): Verdict {
  const { response } = review;
  if (!isJsonObject(response)) return invalid('webhook response was absent');
  if (sent.version === 'v1') {
    const why = strictly(review, response, sent);
    if (why !== undefined) return invalid(why);
  }
  const said = saidIn(response);
  if (response['allowed'] !== true)
    return { kind: 'denied', status: inside(response['status']), said };
  return sent.phase === 'validating'
    ? { kind: 'allowed', patch: [], said }
    : withPatch(response, said);
}

/** Version v1 takes nothing that is left to guess. */
function strictly(
  review: JsonObject,
  response: JsonObject,
  { uid, phase }: Sent,
): string | undefined {
  if (text(response['uid']) !== uid)
    return `expected response.uid="${uid}", got "${text(response['uid'])}"`;
  const [group, version] = text(review['apiVersion']).split('/');
  if (version === undefined || text(review['kind']) === '') {
    return `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${version === undefined ? `/${group}` : `${group}/${version}`}, Kind=${text(review['kind'])}`;
  }
  const [hasPatch, hasType] = [text(response['patch']) !== '', text(response['patchType']) !== ''];
  if (phase === 'validating') {
    if (hasPatch) return 'validating webhook may not return response.patch';
    return hasType ? 'validating webhook may not return response.patchType' : undefined;
  }
  return wrongPatch({ hasPatch, hasType });
}

type Stated = { readonly hasPatch: boolean; readonly hasType: boolean };

function wrongPatch({ hasPatch, hasType }: Stated): string | undefined {
  if (hasPatch && !hasType) return 'webhook returned response.patch but not response.patchType';
  return hasType && !hasPatch
    ? 'webhook returned response.patchType but not response.patch'
    : undefined;
}

function withPatch({ patch, patchType }: JsonObject, said: Said): Verdict {
  if (text(patch) === '') return { kind: 'allowed', patch: [], said };
  const operations = jsonIn(Buffer.from(text(patch), 'base64').toString());
  if (!isList(operations)) {
    const why = `received undecodable patch in webhook response: ${noList(operations)}`;
    return { kind: 'failed', why };
  }
  // Version v1beta1 may leave it out.
  const isKnown = text(patchType) === 'JSONPatch' || text(patchType) === '';
  return isKnown || operations.length === 0
    ? { kind: 'allowed', patch: objects(operations), said }
    : { kind: 'failed', why: `unsupported patch type "${text(patchType)}"` };
}

function noList(value: Json): string {
  return typeof value === 'string'
    ? goJsonError(value)
    : `json: cannot unmarshal ${goKind(value)} into Go value of type jsonpatch.Patch`;
}

function saidIn({ warnings, auditAnnotations }: JsonObject): Said {
  const annotations = Object.entries(inside(auditAnnotations));
  return {
    warnings: texts(warnings).filter((each) => each !== ''),
    annotations: Object.fromEntries(annotations.map(([key, value]) => [key, text(value)])),
  };
}
