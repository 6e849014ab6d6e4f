import type { KindRules } from '../kind-rules.ts';
import { all, type Edit, each, ensured, inside, preset } from '../words/edit.ts';

const resources: Edit = all(
  preset({ matchPolicy: 'Equivalent' }),
  ensured('namespaceSelector'),
  ensured('objectSelector'),
  each('resourceRules', preset({ scope: '*' })),
  each('excludeResourceRules', preset({ scope: '*' })),
);

/** Stored, with its defaults: policies of this kind are not evaluated here, as whoever binds one is told. */
export const admissionPolicy: KindRules = {
  defaults: ensured(
    'spec',
    all(preset({ failurePolicy: 'Fail' }), inside('matchConstraints', resources)),
  ),
  status: {},
  counts: ['spec'],
  isClusterWide: true,
  hasFreeFinalizers: true,
};

export const admissionPolicyBinding: KindRules = {
  defaults: ensured('spec', inside('matchResources', resources)),
  warnings: () => [
    'this emulated cluster keeps a ValidatingAdmissionPolicy and its binding, and enforces neither: nothing is denied, warned of or audited by it',
  ],
  counts: ['spec'],
  isClusterWide: true,
  hasFreeFinalizers: true,
};
