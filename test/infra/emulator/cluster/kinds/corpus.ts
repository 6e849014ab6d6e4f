import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { rulesOf } from '#infra/emulator/cluster/kinds/rules-of.ts';
import type { FieldError, Written } from '#infra/emulator/cluster/parts.ts';
import type { ServedKind } from '#infra/emulator/cluster/served-kinds.ts';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

export type Change = {
  readonly title: string;
  readonly before: JsonObject;
  readonly patch: JsonObject;
  readonly part?: string;
};

/** Of the uid and the time every server makes its own. */
export const uid = '11111111-2222-3333-4444-555555555555';
export const at: Written = {
  now: new Date('2030-01-01T00:00:00Z'),
  user: { name: 'admin-token', groups: ['system:masters', 'system:authenticated'] },
};

export const good = manifests('good.yaml');
export const bad = manifests('bad.yaml');
export const changes = documents('changes.yaml') as readonly Change[];

function manifests(file: string): readonly JsonObject[] {
  return documents(file).filter(isJsonObject);
}

function documents(file: string): readonly unknown[] {
  const text = readFileSync(new URL(`../../../../fixtures/kinds/${file}`, import.meta.url), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS());
}

export function nameOf({ kind, metadata }: JsonObject): string {
  return `${kind} ${isJsonObject(metadata) ? metadata['name'] : ''}`;
}

const clusterWide = [
  'Namespace',
  'Node',
  'PriorityClass',
  'StorageClass',
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'APIService',
  'ClusterTrustBundle',
  'CertificateSigningRequest',
  'PersistentVolume',
  'IngressClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];

const plurals: Readonly<Record<string, string>> = {
  Endpoints: 'endpoints',
  NetworkPolicy: 'networkpolicies',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
};

export function kindOf({ apiVersion, kind }: JsonObject): ServedKind {
  const [version = '', group = ''] = String(apiVersion).split('/').toReversed();
  const lower = String(kind).toLowerCase();
  const resource = plurals[String(kind)] ?? `${lower}${lower.endsWith('ss') ? 'es' : 's'}`;
  const namespaced = !clusterWide.includes(String(kind));
  return { group, resource, kind: String(kind), namespaced, versions: [version], isCustom: false };
}

/** As a server has it before the rules: in a namespace and with a uid. */
export function born(manifest: JsonObject): JsonObject {
  const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  const namespace = kindOf(manifest).namespaced ? { namespace: 'default' } : {};
  return { ...manifest, metadata: { ...metadata, ...namespace, uid } };
}

export function made(manifest: JsonObject): JsonObject {
  const rules = rulesOf(kindOf(manifest));
  return rules.defaulted(rules.created(rules.defaulted(born(manifest)), at));
}

export function refused(manifest: JsonObject): readonly string[] {
  return causes(rulesOf(kindOf(manifest)).checked(made(manifest), undefined));
}

export type Answer = { readonly object: JsonObject } | { readonly causes: readonly string[] };

/** What a PUT of the object with the patch in it does; `stored` is in its normal form. */
export function changed(stored: JsonObject, { patch, part }: Change): Answer {
  const metadata = isJsonObject(stored['metadata']) ? stored['metadata'] : {};
  const before = { ...stored, metadata: { ...metadata, uid: 'uid', resourceVersion: '1' } };
  const sent = merged(before, patch);
  if (!isJsonObject(sent)) throw new Error('the patch leaves no object');
  const rules = rulesOf(kindOf(before));
  const taking = part === undefined ? undefined : rules.subresources[part];
  if (taking?.shape === 'part') {
    const next = rules.defaulted(taking.taken(sent, before, at));
    return answer(next, taking.checked(next, before));
  }
  const next = rules.defaulted(rules.updated(sent, before, at));
  return answer(next, rules.checked(next, before));
}

function answer(next: JsonObject, errors: readonly FieldError[]): Answer {
  return errors.length === 0 ? { object: normal(next) } : { causes: causes(errors) };
}

/** In order, each once, without the parts whose words are not promised: differences, what a compiler says, and a whole template. */
export function causes(errors: readonly FieldError[]): readonly string[] {
  const said = errors.map(({ field, reason, message }) =>
    `${field} ${reason} ${message.split('\n')[0]}`
      .replaceAll(uuid, 'uid')
      .replace(/compilation failed: .*/, 'compilation failed')
      .replace(/\{"(metadata|labels)":.*\}: field is immutable/, '{}: field is immutable'),
  );
  return [...new Set(said)].toSorted();
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const ownOfServer = [
  'managedFields',
  'creationTimestamp',
  'uid',
  'resourceVersion',
  'lastTransitionTime',
  'lastPhaseTransitionTime',
];

const given: Readonly<Record<string, Json>> = {
  nodePort: 30_000,
  healthCheckNodePort: 30_000,
  clusterIP: '10.0.0.1',
  clusterIPs: ['10.0.0.1'],
};

/** Without what each server gives as it likes: ids, times, addresses. */
export function normal(object: JsonObject): JsonObject {
  const text = JSON.stringify(inOrder(object), (key, value) => {
    if (ownOfServer.includes(key)) return undefined;
    return String(value) === 'None' ? value : (given[key] ?? value);
  });
  return JSON.parse(text.replaceAll(uuid, 'uid'));
}

function inOrder(value: Json): Json {
  if (isList(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const sorted = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, item]) => [key, inOrder(item)]));
}

/** RFC 7386 */
export function merged(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const base = isJsonObject(target) ? target : {};
  const next = Object.entries(patch).reduce<Record<string, Json>>(
    (soFar, [key, value]) => {
      if (value === null) delete soFar[key];
      else soFar[key] = merged(soFar[key], value);
      return soFar;
    },
    { ...base },
  );
  return next;
}

/** What the real server answered, as `test/real/kinds.test.ts` keeps it. */
export type Answers = {
  readonly good: Readonly<Record<string, JsonObject>>;
  readonly bad: Readonly<Record<string, readonly string[]>>;
  readonly changes: Readonly<
    Record<string, { readonly before: JsonObject; readonly answer: Answer }>
  >;
};

export const answersFile = new URL(
  '../../../../fixtures/kinds/answers.golden.json',
  import.meta.url,
);

export function answers(): Answers {
  return JSON.parse(readFileSync(answersFile, 'utf8'));
}

/** One line an answer, so that a change of one is a change of a line. */
export function printed(all: Answers): string {
  const parts = Object.entries(all).map(([part, entries]) => {
    const lines = Object.entries(entries).map(
      ([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
    );
    return `  ${JSON.stringify(part)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}
