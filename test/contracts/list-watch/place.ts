import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import type { Answer } from '#shared/adapters/cluster/answer.ts';
import { type Ask, asker } from '#shared/adapters/cluster/ask.ts';
import type { Session } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configMaps, type Kind, namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Listed, Scope } from '#shared/domain/watched.ts';
import { whenFree } from './when-free.ts';

/** An API server, and a namespace in it that nobody else uses. */
export type Place = {
  readonly stream: Stream;
  readonly ask: Ask;
  readonly namespace: string;
  /** Somebody whom the server does not know. */
  readonly stranger: Stream;
  /** The shortest time that a watch can be asked to last. */
  readonly shortSeconds: number;
};
export type Open = () => Promise<Place>;

export type Sessions = {
  readonly session: Session;
  readonly stranger: Session;
  readonly shortSeconds: number;
};

/** All through HTTP: what stands behind the address is none of the suite's business. */
export async function placeAt({ session, stranger, shortSeconds }: Sessions): Promise<Place> {
  const limits = { deadlineMs: 10_000, maxAnswerBytes: 1e8, userAgent: 'gatehouse-test' };
  const place = {
    stream: openStream({ session }),
    stranger: openStream({ session: stranger }),
    ask: asker(session, limits),
    namespace: '',
    shortSeconds,
  };
  const namespace = await freshNamespace(place);
  return { ...place, namespace };
}

export async function freshNamespace({ ask }: Pick<Place, 'ask'>): Promise<string> {
  const name = uniqueName('watched');
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  written(await ask({ what: 'make', method: 'POST', path: '/api/v1/namespaces', body }));
  return name;
}

export function uniqueName(beginning: string): string {
  return `${beginning}-${randomBytes(4).toString('hex')}`;
}

export const forever = new AbortController().signal;

/** The place's ConfigMaps. */
export function mapsIn({ namespace }: Place, more: Partial<Scope> = {}): Scope {
  return { kind: configMaps, namespace, ...more };
}

export function scopeOfNamespace(name: string): Scope {
  return { kind: namespaces, fields: `metadata.name=${name}` };
}

type Content = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly data?: Readonly<Record<string, string>>;
};

/** Writes to ConfigMaps of the place, or to another collection. */
export function writer({ ask, namespace }: Place, collection = pathOf(configMaps, namespace)) {
  return {
    async create(name: string, { data = {}, ...metadata }: Content = {}, kind = 'ConfigMap') {
      const [apiVersion] = /(?<=^\/apis\/).*?(?=\/namespaces)/.exec(collection) ?? ['v1'];
      const body = { apiVersion, kind, metadata: { name, ...metadata }, data };
      return written(await ask({ what: 'create', method: 'POST', path: collection, body }));
    },
    async patch(name: string, body: JsonObject) {
      const contentType = 'application/merge-patch+json';
      const path = `${collection}/${name}`;
      return written(await ask({ what: 'patch', method: 'PATCH', path, contentType, body }));
    },
    async remove(name: string) {
      const path = `${collection}/${name}`;
      const answer = await ask({ what: 'delete', method: 'DELETE', path });
      expect(answer.status).toBe(200);
    },
  };
}

export function pathOf({ group, version, resource }: Kind, namespace: string): string {
  const root = group === '' ? '/api' : `/apis/${group}`;
  return `${root}/${version}/namespaces/${namespace}/${resource}`;
}

export function written({ status, body, why }: Answer): KubeObject {
  if (status !== 200 && status !== 201) throw new Error(`not written: ${status} ${why}`);
  return body as KubeObject;
}

export type Page = Listed & { readonly kind: 'page' };

export async function pageOf(
  { stream }: Place,
  scope: Scope,
  options: { readonly limit?: number; readonly continue?: string | undefined } = {},
): Promise<Page> {
  const listed = await whenFree(() =>
    stream.list(scope, { limit: 500, signal: forever, ...options }),
  );
  if (listed.kind !== 'page') throw new Error(`no page: ${JSON.stringify(listed)}`);
  return listed;
}

export async function versionOf({ stream }: Place, scope: Scope): Promise<string> {
  const version = await whenFree(() => stream.version(scope, forever));
  if (version.kind !== 'version') throw new Error(`no version: ${JSON.stringify(version)}`);
  return version.resourceVersion;
}

export function namesOf(objects: readonly KubeObject[]): readonly (string | undefined)[] {
  return objects.map(({ metadata }) => metadata.name);
}

export function versionIn({ metadata }: KubeObject): string {
  return metadata.resourceVersion ?? '';
}
