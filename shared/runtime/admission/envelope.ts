import type { RawReview } from '#shared/define.ts';
import {
  anything,
  choice,
  type Decoded,
  decode,
  describe,
  flag,
  list,
  maybe,
  optional,
  record,
  text,
} from '#shared/domain/decode.ts';
import { isJsonObject, jsonIn } from '#shared/domain/json.ts';

const reviewVersions = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'] as const;
export type ReviewVersion = (typeof reviewVersions)[number];

const envelope = record({
  apiVersion: choice(...reviewVersions),
  kind: choice('AdmissionReview'),
  request: record({
    uid: text,
    operation: choice('CREATE', 'UPDATE', 'DELETE', 'CONNECT'),
    resource: record({ group: optional(text, ''), version: text, resource: text }),
    subResource: optional(text),
    namespace: optional(text, ''),
    name: optional(text, ''),
    userInfo: optional(record({ username: optional(text, ''), groups: optional(list(text), []) }), {
      username: '',
      groups: [],
    }),
    object: maybe(anything),
    oldObject: maybe(anything),
    dryRun: optional(flag, false),
  }),
});

type Request = Decoded<typeof envelope>['request'];

/** A review that can be read: what the functions are asked, and what the answer must repeat. */
export type Asked = {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly resource: Request['resource'];
  readonly review: Omit<RawReview, 'deadline'>;
  /** As it came, for match conditions. */
  readonly request: unknown;
};

export type Unreadable = {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly code: 400 | 413;
  readonly why: string;
};

export type Opened =
  | { readonly ok: true; readonly asked: Asked }
  | { readonly ok: false; readonly unreadable: Unreadable };

/** The door: past it nobody checks the envelope again. */
export function openEnvelope(body: string): Opened {
  const parsed = jsonIn(body);
  if (parsed === undefined) {
    return refused(body.trim() === '' ? 'the request has no body' : 'the body is not JSON');
  }
  const result = decode(envelope, parsed);
  if (!result.ok) {
    return refused(`not an AdmissionReview: ${describe(result.problems[0])}`, parsed);
  }
  return { ok: true, asked: asked(result.value, parsed) };
}

export function refused(why: string, parsed?: unknown, code: 400 | 413 = 400): Opened {
  return { ok: false, unreadable: { version: versionOf(parsed), uid: uidOf(parsed), code, why } };
}

function asked({ apiVersion, request }: Decoded<typeof envelope>, parsed: unknown): Asked {
  return {
    version: apiVersion,
    uid: request.uid,
    resource: request.resource,
    review: {
      // A DELETE carries only the old object, a CONNECT its options: neither is a reason to refuse.
      object: isJsonObject(request.object) ? request.object : {},
      old: isJsonObject(request.oldObject) ? request.oldObject : undefined,
      operation: request.operation,
      subresource: request.subResource === '' ? undefined : request.subResource,
      namespace: request.namespace,
      name: request.name,
      user: request.userInfo,
      dryRun: request.dryRun,
    },
    request: isJsonObject(parsed) ? parsed['request'] : undefined,
  };
}

function versionOf(parsed: unknown): ReviewVersion {
  const said = isJsonObject(parsed) ? parsed['apiVersion'] : undefined;
  return reviewVersions.find((version) => version === said) ?? 'admission.k8s.io/v1';
}

function uidOf(parsed: unknown): string {
  const request = isJsonObject(parsed) ? parsed['request'] : undefined;
  const uid = isJsonObject(request) ? request['uid'] : undefined;
  return typeof uid === 'string' ? uid : '';
}
