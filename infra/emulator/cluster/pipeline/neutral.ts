import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { merged } from '../../testing/cluster/merge.ts';
import type { Patched, Rules } from '../parts.ts';
import { badRequest, refusal } from '../refusal.ts';
import { ofSameLife } from './metadata.ts';
import { byOperations } from './patching.ts';
import type { Parts } from './write.ts';

const nobody = { name: 'system:admin', groups: ['system:masters'] };

/** Lets everything pass as it is: of a server for lists and watches nobody wants more. */
export const neutralParts: Parts = {
  schemas: { find: () => undefined },
  decoded: (object) => ({ object, warnings: [] }),
  rulesOf: () => neutralRules,
  access: {
    whoIs: () => Promise.resolve(nobody),
    may: () => ({ allowed: true, reason: '' }),
  },
  admission: {
    mutate: ({ object }) => Promise.resolve({ object, warnings: [], auditAnnotations: {} }),
    validate: () => Promise.resolve({ warnings: [], auditAnnotations: {} }),
  },
  patched: (before, patch, { contentType }) => patchedPlainly(before, patch, contentType),
  applied: (before, config) => patchedPlainly(before ?? {}, config, mergePatch),
  managed: (next) => next,
  issueToken: () => refusal(501, { message: 'no tokens are issued here' }),
};

const same = (object: JsonObject) => object;

const neutralRules: Rules = {
  defaulted: same,
  created: same,
  updated: ofSameLife,
  checked: ({ metadata }) => (isJsonObject(metadata) && metadata['name'] ? [] : [unnamed]),
  warnings: () => [],
  subresources: {},
};

const unnamed = {
  field: 'metadata.name',
  reason: 'FieldValueRequired',
  message: 'Required value: name or generateName is required',
} as const;

const mergePatch = 'application/merge-patch+json';

function patchedPlainly(
  before: JsonObject,
  patch: unknown,
  contentType: string,
): ReturnType<Patched> {
  if (contentType === 'application/json-patch+json') return byOperations(before, patch);
  if (!isJsonObject(patch)) return badRequest('the patch is no object');
  const next = merged(before, patch, 'as-a-whole');
  return isJsonObject(next) ? next : badRequest('the patch makes no object');
}
