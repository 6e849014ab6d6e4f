import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { answerOf, patched } from '#test/support/admission.ts';
import type { Admitted, Asked, StatedNamespace } from './vector.ts';

/** Posts a review below the target's URL. */
export type Post = (path: string, review: JsonObject) => Promise<Response>;

/** The calls that an API server would make by our webhook configurations, in its order. */
export async function admitThrough(post: Post, asked: Asked): Promise<Admitted> {
  const isMutated = asked.subresource === undefined || asked.subresource === 'ephemeralcontainers';
  const first = isMutated ? await call(post, '/mutate/pods', asked, asked.object) : undefined;
  const mutated = first === undefined ? asked.object : patched(asked.object, first);
  const object = asked.after?.(mutated) ?? mutated;
  if (first?.allowed === false) return { admitted: false, said: first.message, object };

  const path = asked.lastPath ?? lastWordFor(asked.namespace);
  if (path === undefined) return { admitted: true, said: 'nobody is asked', object };
  const last = await call(post, path, asked, object);
  return { admitted: last.allowed, said: last.message, object };
}

/** By its label, as the namespace selectors of the entries have it. */
function lastWordFor({ labels }: StatedNamespace): string | undefined {
  const mode = labels[modeLabel];
  if (mode === 'user') return '/validate/require-user-images';
  return mode === 'system' || mode === 'enabled' ? '/validate/require-trusted-images' : undefined;
}

export const modeLabel = 'namespaces.warden.kyma-project.io/validate';

async function call(post: Post, path: string, asked: Asked, object: JsonObject) {
  const response = await post(path, reviewOf(asked, object));
  if (response.status !== 200) throw new Error(`${path} answers ${response.status}`);
  return answerOf(response);
}

function reviewOf(asked: Asked, object: JsonObject): JsonObject {
  const { old, subresource, dryRun = false, namespace, user } = asked;
  const operation = asked.operation ?? (old === undefined ? 'CREATE' : 'UPDATE');
  const { name = '' } = isJsonObject(object['metadata']) ? object['metadata'] : {};
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: randomUUID(),
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      requestKind: { group: '', version: 'v1', kind: 'Pod' },
      requestResource: { group: '', version: 'v1', resource: 'pods' },
      ...(subresource === undefined ? {} : { subResource: subresource }),
      name,
      namespace: namespace.name,
      operation,
      userInfo: user ?? { username: 'mallory', groups: ['system:authenticated'] },
      object,
      oldObject: old ?? null,
      dryRun,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
    },
  };
}
