import { apiVersion } from '#shared/domain/kind.ts';
import type { Collection } from './collection.ts';
import { badRequest, type Refusal, refusal, tooOld } from './refusal.ts';
import type { Selects } from './selecting.ts';
import { itemText, type Stored, type View } from './stored.ts';

export type List = {
  readonly of: Collection;
  readonly selects: Selects;
  readonly view: View;
  readonly limit: string | undefined;
  readonly continue: string | undefined;
  readonly revision: number;
};

/** One page, true for the version that the first page was of, however much is written meanwhile. */
export function listed(list: List): string | Refusal {
  const limit = list.limit === undefined ? 0 : Number(list.limit);
  if (!Number.isSafeInteger(limit)) return badRequest(`parsing "${list.limit}": invalid syntax`);
  const start = startOf(list);
  if (start === undefined) return badRequest('invalid continue token: continue key is not valid');
  const all = list.of.at(start.version);
  if (all === undefined) return expired;

  const { page, next } = pageOf({ all, from: start.key, limit }, list.selects);
  const token = next === undefined ? undefined : tokenOf({ version: start.version, key: next.key });
  return textOfPage(list, page, { version: start.version, token });
}

const expired: Refusal = {
  code: 410,
  body: tooOld('The provided continue parameter is too old to display a consistent list result.'),
};

type Start = { readonly version: number; readonly key: string };

function startOf({ continue: token, revision }: List): Start | undefined {
  if (token === undefined || token === '') return { version: revision, key: '' };
  const [version, ...key] = Buffer.from(token, 'base64url').toString().split(' ');
  return /^\d+$/.test(version ?? '') ? { version: Number(version), key: key.join(' ') } : undefined;
}

function tokenOf({ version, key }: Start): string {
  return Buffer.from(`${version} ${key}`).toString('base64url');
}

type Range = { readonly all: readonly Stored[]; readonly from: string; readonly limit: number };

function pageOf({ all, from, limit }: Range, selects: Selects) {
  const page: Stored[] = [];
  for (const stored of all) {
    if (stored.key < from || !selects(stored)) continue;
    if (limit > 0 && page.length === limit) return { page, next: stored };
    page.push(stored);
  }
  return { page, next: undefined };
}

type About = { readonly version: number; readonly token: string | undefined };

function textOfPage(
  { of, view }: List,
  page: readonly Stored[],
  { version, token }: About,
): string {
  const type = view.isPartial
    ? { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' }
    : {
        kind: `${of.kind.kind}List`,
        apiVersion: apiVersion({ group: of.kind.group, version: view.version }),
      };
  const metadata = { resourceVersion: String(version), ...(token && { continue: token }) };
  const head = JSON.stringify({ ...type, metadata }).slice(0, -1);
  const items = page.map((stored) => itemText(stored, of.kind, view));
  return `${head},"items":[${items.join(',')}]}`;
}

export function isFuture(wanted: string | undefined, revision: number): boolean {
  return wanted !== undefined && /^\d+$/.test(wanted) && Number(wanted) > revision;
}

export function badVersion(version: string): Refusal {
  const message = `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`;
  return refusal(500, { message });
}
