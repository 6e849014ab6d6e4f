import { parse } from 'yaml';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { text } from '../../access/stated.ts';
import { goJsonError } from './go-json.ts';
import type { ReviewVersion } from './review.ts';

const goType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What a decoder of reviews knows: of which type they are, what an answer holds, and what else there is. */
export type ReviewForm = {
  readonly apiVersion: string;
  readonly kind: string;
  /** Go's name of the answer's type. */
  readonly response: string;
  readonly fields: Fields;
  readonly convertible: readonly string[];
};

/** The review that a text is, or why the real server's decoder takes none from it. */
export function decodedReview(body: string, form: ReviewForm): JsonObject | string {
  const review = typed(body.replace(/^\ufeff/, ''));
  if (typeof review === 'string') {
    return review.startsWith('yaml: ')
      ? review
      : `couldn't get version/kind; json parse error: ${review}`;
  }
  return wrongType(review, form) ?? wrongResponse(review, form) ?? review;
}

/** What is no JSON is YAML to the real server, as plain text is; and nothing is an empty review. */
function typed(body: string): JsonObject | string {
  const read = body.trimStart().startsWith('{') ? fromJson(body) : fromYaml(body);
  if ('why' in read) return read.why;
  const value = read.value ?? {};
  if (!isJsonObject(value)) return typedAs(value);
  const wrong = ['apiVersion', 'kind'].find((name) => !isText(value[name] ?? ''));
  return wrong === undefined
    ? value
    : `json: cannot unmarshal ${goKind(value[wrong] ?? null)} into Go struct field .${wrong} of type string`;
}

function fromJson(body: string): { readonly value: Json } | { readonly why: string } {
  try {
    return { value: JSON.parse(body) as Json };
  } catch {
    return { why: goJsonError(body) };
  }
}

/** Bytes that are no text are none of YAML either; of other mistakes the words are those of text that is no object. */
function fromYaml(body: string): { readonly value: Json } | { readonly why: string } {
  if (body.startsWith('\ufffd')) return { why: 'yaml: invalid leading UTF-8 octet' };
  if (/\p{Cc}/u.test(body.replace(/[\t\r\n\u0085]/g, ''))) {
    return { why: 'yaml: control characters are not allowed' };
  }
  try {
    return { value: parse(body) as Json };
  } catch {
    return { value: body };
  }
}

/** What Go says of JSON that is no object. */
export function typedAs(value: Json): string {
  return `json: cannot unmarshal ${goKind(value)} into Go value of type ${goType}`;
}

export function goKind(value: Json): string {
  if (isList(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value !== null && typeof value === 'object' ? 'object' : typeof value;
}

function isText(value: Json): boolean {
  return typeof value === 'string';
}

function wrongType(review: JsonObject, form: ReviewForm): string | undefined {
  const kind = text(review['kind']) || form.kind;
  const apiVersion = text(review['apiVersion']) || form.apiVersion;
  const parts = apiVersion.split('/');
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  if (apiVersion === form.apiVersion && kind === form.kind) return undefined;
  return form.convertible.includes(`${apiVersion} ${kind}`)
    ? `converting (${parts.at(-1)}.${kind}) to (${versionOf(form)}.${form.kind}): unknown conversion`
    : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
}

function versionOf({ apiVersion }: ReviewForm): string {
  return apiVersion.split('/').at(-1) ?? '';
}

type Fields = Readonly<Record<string, string>>;

/** Of each type that has fields: which. */
const structs: Readonly<Record<string, Fields>> = {
  'v1.Status': {
    metadata: 'v1.ListMeta',
    status: 'string',
    message: 'string',
    reason: 'v1.StatusReason',
    details: 'v1.StatusDetails',
    code: 'int32',
  },
  'v1.ListMeta': {
    selfLink: 'string',
    resourceVersion: 'string',
    continue: 'string',
    remainingItemCount: 'int64',
  },
  'v1.StatusDetails': {
    name: 'string',
    group: 'string',
    kind: 'string',
    uid: 'types.UID',
    causes: '[]v1.StatusCause',
    retryAfterSeconds: 'int32',
  },
  'v1.StatusCause': { reason: 'v1.CauseType', message: 'string', field: 'string' },
};

export function admissionForm(version: ReviewVersion): ReviewForm {
  return {
    apiVersion: `admission.k8s.io/${version}`,
    kind: 'AdmissionReview',
    response: 'AdmissionResponse',
    fields: {
      uid: 'types.UID',
      allowed: 'bool',
      status: 'v1.Status',
      patch: '[]uint8',
      patchType: `${version}.PatchType`,
      auditAnnotations: 'map[string]string',
      warnings: '[]string',
    },
    convertible: [
      'admission.k8s.io/v1 AdmissionReview',
      'admission.k8s.io/v1beta1 AdmissionReview',
      'v1 Status',
    ],
  };
}

/** The first field that Go cannot take, in the order of the text. */
function wrongResponse({ response = null }: JsonObject, form: ReviewForm): string | undefined {
  if (response === null) return undefined;
  if (!isJsonObject(response)) {
    return unfit(response, `${form.kind}.response`, `${versionOf(form)}.${form.response}`);
  }
  const { fields } = form;
  const wrong = firstUnfit(response, fields, `${form.response}.response`);
  return wrong ?? (fields['patch'] === undefined ? undefined : wrongBase64(response));
}

function firstUnfit(object: JsonObject, fields: Fields, at: string): string | undefined {
  for (const [name, value] of Object.entries(object)) {
    const type = fields[name];
    const why = type === undefined ? undefined : misfit(value, type, `${at}.${name}`);
    if (why !== undefined) return why;
  }
  return undefined;
}

type Fits = (value: Json, at: string) => string | undefined;

/** Of all other types the values are texts. */
const fitting: Readonly<Record<string, Fits>> = {
  bool: (value, at) => (typeof value === 'boolean' ? undefined : unfit(value, at, 'bool')),
  int32: (value, at) => wrongInteger(value, at, { type: 'int32', most: 2 ** 31 - 1 }),
  int64: (value, at) => wrongInteger(value, at, { type: 'int64', most: Number.MAX_SAFE_INTEGER }),
  '[]v1.StatusCause': (value, at) =>
    isList(value)
      ? value.map((each) => misfit(each, 'v1.StatusCause', at)).find((why) => why !== undefined)
      : unfit(value, at, '[]v1.StatusCause'),
  '[]runtime.RawExtension': (value, at) =>
    isList(value) ? undefined : unfit(value, at, '[]runtime.RawExtension'),
  '[]string': (value, at) => (isList(value) ? eachText(value, at) : unfit(value, at, '[]string')),
  'map[string]string': (value, at) =>
    isJsonObject(value)
      ? eachText(Object.values(value), at)
      : unfit(value, at, 'map[string]string'),
};

type Integer = { readonly type: string; readonly most: number };

function wrongInteger(value: Json, at: string, { type, most }: Integer): string | undefined {
  if (typeof value !== 'number') return unfit(value, at, type);
  if (Number.isInteger(value) && Math.abs(value) <= most) return undefined;
  return `json: cannot unmarshal number ${value} into Go struct field ${at} of type ${type}`;
}

/** A field is called after the struct that it is in, and by its whole path. */
function wrongStruct(value: Json, at: string, type: string): string | undefined {
  if (!isJsonObject(value)) return unfit(value, at, type);
  return firstUnfit(value, structs[type] ?? {}, at.replace(/^\w+/, type.replace('v1.', '')));
}

function misfit(value: Json, type: string, at: string): string | undefined {
  if (value === null) return undefined;
  const fits = fitting[type];
  if (fits !== undefined) return fits(value, at);
  if (structs[type] !== undefined) return wrongStruct(value, at, type);
  return isText(value) ? undefined : unfit(value, at, type);
}

function eachText(values: readonly Json[], at: string): string | undefined {
  const wrong = values.find((value) => value !== null && !isText(value));
  return wrong === undefined ? undefined : unfit(wrong, at, 'string');
}

function unfit(value: Json, at: string, type: string): string {
  return `json: cannot unmarshal ${goKind(value)} into Go struct field ${at} of type ${type}`;
}

/** Where Go's reader stops: at a letter that is none of it, in a group of four that is not whole, or after the end. */
function wrongBase64({ patch }: JsonObject): string | undefined {
  const stated = text(patch);
  const letters = stated.replace(/[\r\n]/g, '');
  const [good = ''] =
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(letters) ?? [];
  if (good === letters) return undefined;
  const odd = stated.search(/[^A-Za-z0-9+/=\r\n]/);
  return `illegal base64 data at input byte ${odd < 0 ? good.length : odd}`;
}
