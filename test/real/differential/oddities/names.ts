/** What a client says that is new to the server, or slightly wrong. */
export const names = {
  usual: ['a', 'b'],
  odd: ['A', 'a_b', 'a.b', '-a', 'x'.repeat(254), 'a%20b', 'a%2Fb', '%C3%BC', 'a:b', '%25', 'none'],
} as const;

/** What may stand in the metadata of any object. */
export const metadata: Readonly<Record<string, readonly unknown[]>> = {
  'labels.a': ['b', 'c', '', 'a b', null, 1],
  'labels.app': ['a'],
  labels: [null, {}, { 'a/b/c': 'd' }, { '': 'x' }, { [`${'k'.repeat(64)}`]: 'v' }],
  'annotations.a': ['b', '', null],
  annotations: [
    { 'a b': 'c' },
    {},
    { 'A.b/C_d': 'e' },
    { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
  ],
  finalizers: [
    ['a.b/c'],
    ['a.b/c', 'd.e/f'],
    ['nope'],
    [],
    null,
    ['a.b/c', 'a.b/c'],
    ['orphan'],
    ['foregroundDeletion'],
    [''],
    ['a b'],
  ],
  ownerReferences: [
    [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }],
    [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' },
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'u' },
    ],
    [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u', controller: true },
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'p', uid: 'w', controller: true },
    ],
    [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o' }],
    [{ apiVersion: 'v1', kind: 'Event', name: 'o', uid: 'u' }],
    [{ kind: 'ConfigMap', name: '', uid: '' }],
    [],
  ],
  name: ['b', 'A', '', null],
  generateName: ['g-', 'G'],
  namespace: ['other', ''],
  uid: ['x', '{uid}', ''],
  resourceVersion: ['1', '{rv}', '', '0', 'x', null],
  generation: [5, -1],
  creationTimestamp: [null, '2020-01-01T00:00:00Z', 'x'],
  deletionTimestamp: ['2030-01-01T00:00:00Z', null],
  deletionGracePeriodSeconds: [5],
  selfLink: ['x'],
  managedFields: [
    [],
    [{}],
    null,
    [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
    [{ manager: 'x', operation: 'Nope' }],
  ],
  unknown: [1],
};
