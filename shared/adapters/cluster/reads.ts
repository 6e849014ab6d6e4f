import { isJsonObject } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { selectorText } from '#shared/domain/selector.ts';
import type { Cluster, ListOptions, Target } from '#shared/ports.ts';
import { collectionPath, objectPath, wordsFor } from './address.ts';
import { type Answer, itemsFrom, objectFrom, refusal } from './answer.ts';
import type { Ask } from './ask.ts';
import { listExpired } from './failure.ts';

const defaultPageSize = 500;
const partial = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

export function reads(ask: Ask): Pick<Cluster, 'find' | 'list'> {
  return {
    find: (target) => find(ask, target),
    list: (kind, options = {}) => list(ask, kind, options),
  };
}

async function find(ask: Ask, target: Target): Promise<KubeObject | undefined> {
  const what = `get ${wordsFor(target)}`;
  const answer = await ask({ what, method: 'GET', path: objectPath(target) });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw refusal(what, answer);
  return objectFrom(what, answer);
}

/** Page by page, so that nobody holds more than one of them. */
async function* list(ask: Ask, kind: Kind, options: ListOptions): AsyncGenerator<KubeObject> {
  const what = `list ${kind.resource}${options.namespace ? ` in ${options.namespace}` : ''}`;
  let next: string | undefined;
  do {
    const answer = await ask({
      what,
      method: 'GET',
      path: collectionPath(kind, options.namespace),
      ...(options.metadataOnly === true ? { accept: partial } : {}),
      query: { ...queryOf(options), continue: next },
    });
    if (answer.status === 410) throw listExpired(answer.why);
    if (answer.status !== 200) throw refusal(what, answer);
    yield* itemsFrom(what, answer, kind);
    next = continuation(answer);
  } while (next !== undefined);
}

function queryOf({ pageSize = defaultPageSize, labels = {}, fields }: ListOptions) {
  const labelSelector = selectorText(labels);
  return {
    limit: String(pageSize),
    fieldSelector: fields,
    labelSelector: labelSelector === '' ? undefined : labelSelector,
  };
}

function continuation({ body }: Answer): string | undefined {
  const metadata = isJsonObject(body) ? body['metadata'] : undefined;
  const next = isJsonObject(metadata) ? metadata['continue'] : undefined;
  return typeof next === 'string' && next !== '' ? next : undefined;
}
