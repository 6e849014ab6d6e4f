import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { AdmissionFunction, Verb } from '#shared/define.ts';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { applyPatch, type Operation } from '#shared/domain/json-patch.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Namespaces, Ports } from '#shared/ports.ts';
import { admissionApp } from '#shared/runtime/admission/app.ts';
import { bind } from '#shared/runtime/admission/bind.ts';
import { openDesk } from '#shared/runtime/admission/desk.ts';
import type { Host } from '#shared/runtime/admission/host.ts';
import type { Fields } from '#shared/runtime/log.ts';

export type Request = {
  readonly object?: Json;
  readonly old?: Json;
  readonly operation?: Verb;
  readonly namespace?: string;
  readonly subResource?: string;
  readonly resource?: string;
  readonly dryRun?: boolean;
  readonly uid?: string;
  readonly apiVersion?: string;
};

/** As the API server writes it. */
export function reviewOf(request: Request): JsonObject {
  const { object, old, subResource, dryRun = false, resource = 'pods' } = request;
  return {
    apiVersion: request.apiVersion ?? 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: request.uid ?? '0f1e2d3c-0000-4000-8000-000000000001',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource },
      ...(subResource === undefined ? {} : { subResource }),
      namespace: request.namespace ?? 'team-a',
      operation: request.operation ?? 'CREATE',
      userInfo: { username: 'ada', groups: ['system:authenticated'] },
      object: object ?? null,
      oldObject: old ?? null,
      dryRun,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  };
}

export type Counted = { readonly what: string; readonly name: string; readonly kind: string };
export type Logged = { readonly level: string; readonly fields: Fields; readonly message: string };

export type Staged = {
  readonly functions: readonly AdmissionFunction[];
  readonly settings?: Partly<Settings>;
  readonly namespaces?: Namespaces;
  readonly ports?: Partial<Ports>;
  readonly isUntimed?: () => boolean;
};

/** The admission loop with nothing left out but the socket. */
export async function stage(staged: Staged) {
  const { functions, settings = {}, namespaces, ports = {}, isUntimed } = staged;
  const fixed = settingsFixed(settings);
  const counted: Counted[] = [];
  const logged: Logged[] = [];
  const count = (what: string) => (name: unknown, kind?: unknown) => {
    counted.push({ what, name: String(name), kind: String(kind ?? '') });
  };
  const write = (level: string) => (fields: Fields, message: string) => {
    logged.push({ level, fields, message });
  };
  const host: Host = {
    isUntimed,
    settings: fixed.current,
    namespaces: namespaces ?? namespacesInMemory({ name: 'team-a', labels: { stamped: 'yes' } }),
    meter: {
      ran: count('ran'),
      failed: count('failed'),
      late: count('late'),
      unreadable: count('unreadable'),
      answered: count('answered'),
      told: count('told'),
    },
    log: {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    },
  };
  const bound = await Promise.all(
    functions.map((definition) => bind(definition, { settings: fixed, ...ports } as Ports)),
  );
  const desk = openDesk({ bound, isEnabled: () => true, settings: fixed.current });
  return { app: admissionApp(desk, host), host, desk, bound, counted, logged, settings: fixed };
}

export type Answer = {
  readonly status: number;
  readonly version: string;
  readonly uid: string;
  readonly allowed: boolean;
  readonly code: number | undefined;
  readonly message: string;
  readonly warnings: readonly string[];
  readonly audit: JsonObject;
  readonly operations: readonly Operation[];
};

type App = { request(path: string, init?: RequestInit): Response | Promise<Response> };

export function post(app: App, path: string, body: Json, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return app.request(path, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    },
  });
}

export async function ask(app: App, path: string, body: Json, headers?: Record<string, string>) {
  return answerOf(await post(app, path, body, headers));
}

export async function answerOf(response: Response): Promise<Answer> {
  const review = objectIn(await response.json());
  const said = objectIn(review['response']);
  const status = objectIn(said['status']);
  return {
    status: response.status,
    version: String(review['apiVersion']),
    uid: String(said['uid']),
    allowed: said['allowed'] === true,
    code: typeof status['code'] === 'number' ? status['code'] : undefined,
    message: String(status['message'] ?? ''),
    warnings: (said['warnings'] ?? []) as readonly string[],
    audit: objectIn(said['auditAnnotations']),
    operations: operationsIn(said['patch']),
  };
}

function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function operationsIn(patch: Json | undefined): readonly Operation[] {
  if (typeof patch !== 'string') return [];
  return JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as readonly Operation[];
}

/** What the API server would store. */
export function patched(object: JsonObject, { operations }: Answer): JsonObject {
  return applyPatch(object, operations);
}

export function podWith(...images: readonly string[]) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'web-' },
    spec: { containers: images.map((image, index) => ({ name: `c${index}`, image })) },
  };
}
