import { createHash } from 'node:crypto';
import { parseBounded } from '#shared/domain/bounded-json.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { User } from '../parts.ts';
import type { ApiService } from './api-service.ts';
import { answerOf, mostBytes, type Reaching } from './remote.ts';

/** What another server publishes of its kinds. */
export type RemoteDocuments = {
  readonly group: string;
  readonly version: string;
  /** `/openapi/v3` there: the paths of its documents. */
  readonly index: Found;
  /** `/openapi/v2` there. */
  readonly swagger: Found;
};

export type Found =
  | { readonly kind: 'document'; readonly edition: string; readonly body: JsonObject }
  /** It publishes no such thing. */
  | { readonly kind: 'none' }
  /** It could not be asked yet. */
  | { readonly kind: 'unknown' };

const unknown: Found = { kind: 'unknown' };

/** What is not to be had now is as before. */
export async function documentsOf(
  apiService: ApiService,
  before: RemoteDocuments | undefined,
  reaching: Reaching,
): Promise<RemoteDocuments> {
  const { group, version } = apiService;
  const [index, swagger] = await Promise.all([
    found(apiService, { path: '/openapi/v3', before: before?.index }, reaching),
    found(apiService, { path: '/openapi/v2', before: before?.swagger }, reaching),
  ]);
  return { group, version, index, swagger };
}

/** Unlike who only looks whether it lives, this one has no rights there. */
const aggregator: User = { name: 'system:aggregator', groups: [] };
const asking = {
  user: aggregator,
  headers: ['Accept', 'application/json'],
  limitMs: 60_000,
};

type Wanted = { readonly path: string; readonly before: Found | undefined };

async function found(
  apiService: ApiService,
  { path, before = unknown }: Wanted,
  reaching: Reaching,
): Promise<Found> {
  const { isUnverified } = apiService;
  const ask = { ...asking, path, isUnverified };
  // Why it is away stands in the status of its APIService.
  const answer = await answerOf(apiService, ask, reaching).catch(() => undefined);
  if (answer?.status === 404) return { kind: 'none' };
  if (answer?.status !== 200) return before;
  const edition = createHash('sha256').update(answer.body).digest('hex');
  if (before.kind === 'document' && before.edition === edition) return before;
  const parsed = parseBounded(answer.body, bounds);
  if (parsed.kind !== 'json' || !isJsonObject(parsed.value)) return before;
  return { kind: 'document', edition, body: parsed.value };
}

/** Schemas are walked by functions that call themselves. */
const bounds = { maxBytes: mostBytes, maxDepth: 200, maxMarks: 5_000_000 };
