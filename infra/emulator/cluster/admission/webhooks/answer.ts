import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { inside, objects, text, texts } from '../../access/stated.ts';
import type { Answered } from '../reaching/posting.ts';
import { admissionForm, decodedReview, goKind } from './decoding.ts';
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
  if (status > 206) return failedCall(statusWords(status, type, body));
  if (body === '')
    return failedCall(
      `0-length response with status code: ${status} and content type: ${type || 'application/json'}`,
    );
  const review = decodedReview(body, admissionForm(sent.version));
  return typeof review === 'string' ? failedCall(review) : verdictIn(review, sent);
}

function failedCall(why: string): Verdict {
  return { kind: 'failed', why: `failed to call webhook: ${why}` };
}

function invalid(why: string): Verdict {
  return { kind: 'failed', why: `received invalid webhook response: ${why}` };
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
  const found = typeIn(review);
  if (found !== undefined)
    return `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${found}`;
  const type = response['patchType'] ?? undefined;
  const hasPatch = text(response['patch']) !== '';
  return phase === 'validating' ? uninvited(hasPatch, type) : wrongPatch(hasPatch, type);
}

/** `undefined` where both are stated: what they are has been looked at. */
function typeIn({ apiVersion, kind }: JsonObject): string | undefined {
  const [group, version] = text(apiVersion).split('/');
  if (version !== undefined && text(kind) !== '') return undefined;
  return `${version === undefined ? `/${group}` : `${group}/${version}`}, Kind=${text(kind)}`;
}

function uninvited(hasPatch: boolean, type: Json | undefined): string | undefined {
  if (hasPatch) return 'validating webhook may not return response.patch';
  return type === undefined ? undefined : 'validating webhook may not return response.patchType';
}

function wrongPatch(hasPatch: boolean, type: Json | undefined): string | undefined {
  if (!hasPatch) {
    return type === undefined
      ? undefined
      : 'webhook returned response.patchType but not response.patch';
  }
  if (type === undefined) return 'webhook returned response.patch but not response.patchType';
  return type === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function withPatch({ patch, patchType }: JsonObject, said: Said): Verdict {
  if (text(patch) === '') return { kind: 'allowed', patch: [], said };
  const operations = operationsIn(Buffer.from(text(patch), 'base64').toString());
  if (typeof operations === 'string') {
    const why = `received undecodable patch in webhook response: ${operations}`;
    return { kind: 'failed', why };
  }
  // Version v1beta1 may leave it out.
  const isKnown = text(patchType) === 'JSONPatch' || text(patchType) === '';
  return isKnown || operations.length === 0
    ? { kind: 'allowed', patch: operations, said }
    : { kind: 'failed', why: `unsupported patch type "${text(patchType)}"` };
}

/** Null is no operation where a list is wanted, and one of no kind in it. */
function operationsIn(patch: string): readonly JsonObject[] | string {
  const value = jsonIn(patch);
  if (value === undefined) return goJsonError(patch);
  if (value !== null && !isList(value)) return unlike(value, 'jsonpatch.Patch');
  const operations = (value ?? []).map((operation) => operation ?? {});
  const wrong = operations.find((operation) => !isJsonObject(operation));
  return wrong === undefined ? objects(operations) : unlike(wrong, 'jsonpatch.Operation');
}

function unlike(value: Json, type: string): string {
  return `json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`;
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function saidIn({ warnings, auditAnnotations }: JsonObject): Said {
  const annotations = Object.entries(inside(auditAnnotations));
  return {
    warnings: texts(warnings).filter((each) => each !== ''),
    annotations: Object.fromEntries(annotations.map(([key, value]) => [key, text(value)])),
  };
}
