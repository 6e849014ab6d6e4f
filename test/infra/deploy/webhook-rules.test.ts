import { describe, expect, it } from 'vitest';
import { rulesOf } from '#infra/deploy/webhook-rules.ts';
import type { AdmissionTrigger } from '#shared/define.ts';

const rule = (
  apiGroups: string[],
  apiVersions: string[],
  operations: string[],
  resources: string[],
) => ({ apiGroups, apiVersions, operations, resources });

describe('the rules of an entry', () => {
  it.each<[string, AdmissionTrigger[], object[]]>([
    [
      'name the core group and its version',
      [{ resources: ['pods'], operations: ['CREATE'] }],
      [rule([''], ['v1'], ['CREATE'], ['pods'])],
    ],
    [
      'take every version of another group',
      [{ group: 'apps', resources: ['deployments'], operations: ['CREATE'] }],
      [rule(['apps'], ['*'], ['CREATE'], ['deployments'])],
    ],
    [
      'keep a stated version',
      [{ group: 'apps', version: 'v1', resources: ['deployments'], operations: ['DELETE'] }],
      [rule(['apps'], ['v1'], ['DELETE'], ['deployments'])],
    ],
    [
      'unite operations of one resource',
      [
        { resources: ['pods'], operations: ['UPDATE'] },
        { resources: ['pods'], operations: ['CREATE', 'UPDATE'] },
      ],
      [rule([''], ['v1'], ['CREATE', 'UPDATE'], ['pods'])],
    ],
    [
      'never ask for an operation on a resource that no function named together',
      [
        { resources: ['pods'], operations: ['CREATE'] },
        { resources: ['pods/ephemeralcontainers'], operations: ['UPDATE'] },
      ],
      [
        rule([''], ['v1'], ['CREATE'], ['pods']),
        rule([''], ['v1'], ['UPDATE'], ['pods/ephemeralcontainers']),
      ],
    ],
    [
      'put resources with the same operations into one',
      [
        { resources: ['pods/ephemeralcontainers'], operations: ['UPDATE', 'CREATE'] },
        { resources: ['pods'], operations: ['CREATE', 'UPDATE'] },
      ],
      [rule([''], ['v1'], ['CREATE', 'UPDATE'], ['pods', 'pods/ephemeralcontainers'])],
    ],
  ])('%s', (_, triggers, expected) => {
    expect(rulesOf(triggers)).toEqual(expected);
    expect(rulesOf(triggers.toReversed())).toEqual(expected);
  });
});
