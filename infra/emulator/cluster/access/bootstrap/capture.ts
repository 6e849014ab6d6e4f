import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { labelsOf, nameOf, namespaceOf, objects, text } from '../stated.ts';

/** The answers of a running server's lists of roles and bindings → what `policy.golden.json` holds of them. */
export function captured(lists: readonly JsonObject[]): readonly JsonObject[] {
  return lists.flatMap((list) =>
    objects(list['items'])
      .filter((item) => labelsOf(item)[bootstrapping] === 'rbac-defaults')
      .map((item) => lasting(text(list['kind']).replace(/List$/, ''), item)),
  );
}

/** One object a line, so that a change of the real server's is one of the file's. */
export function goldenText(policy: readonly JsonObject[]): string {
  return `[\n${policy.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`;
}

export const bootstrapping = 'kubernetes.io/bootstrapping';

function lasting(kind: string, item: JsonObject): JsonObject {
  const { [bootstrapping]: _, ...labels } = labelsOf(item);
  const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...rest } = item;
  return {
    kind,
    name: nameOf(item),
    ...(namespaceOf(item) !== '' && { namespace: namespaceOf(item) }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...rest,
  };
}

/** What each of them carries beside. */
export function wholeObject({ kind, name, namespace, labels, ...rest }: JsonObject): JsonObject {
  const metadata = {
    name: name ?? '',
    ...(namespace !== undefined && { namespace }),
    labels: { [bootstrapping]: 'rbac-defaults', ...(isJsonObject(labels) ? labels : {}) },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: kind ?? '', metadata, ...rest };
}
