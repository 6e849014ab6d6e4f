import {
  apply,
  data,
  deployment,
  json,
  merge,
  mine,
  patch,
  type Scenario,
  status,
  strategic,
  update,
} from './steps.ts';

const updaters = Array.from({ length: 13 }, (_, index) =>
  update(`updater-${String(index).padStart(2, '0')}`, data({ [`key-${index}`]: 'x' })),
);

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const clientSide = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'o', annotations: {} },
  data: { a: '1', b: '1' },
});

export const owning: readonly Scenario[] = [
  [
    'more updaters than are kept',
    'ConfigMap',
    [...updaters, apply('one', data({ 'key-3': 'y' })), update('last', data({ z: '1' }))],
  ],
  [
    'owners that are forgotten, kept, and sent',
    'ConfigMap',
    [
      apply('one', data({ a: '1' })),
      update('two', { ...data({ b: '1' }), metadata: { managedFields: [] } }),
      update('two', data({ c: '1' })),
      apply('three', data({ d: '1' })),
      update('two', { ...data({ e: '1' }), metadata: { managedFields: [{}] } }),
      apply('three', data({ d: '2' })),
      update('two', { ...data({ f: '1' }), metadata: { managedFields: null } }),
      update('two', {
        ...data({ g: '1' }),
        metadata: { managedFields: [{ manager: 'x', operation: 'Other', apiVersion: 'v1' }] },
      }),
      update('two', {
        ...data({ h: '1' }),
        metadata: {
          managedFields: [
            {
              manager: 'sent',
              operation: 'Update',
              apiVersion: 'v1',
              time: '2020-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:z': {}, 'f:a': {}, '.': {}, 'r:unknown': {} } },
            },
          ],
        },
      }),
      patch(merge, { metadata: { managedFields: [{}] } }),
      patch(json, [{ op: 'add', path: '/data/i', value: '1' }]),
    ],
  ],
  [
    'an annotation that a client-side apply has left',
    'ConfigMap',
    [
      update('kubectl-client-side-apply', {
        metadata: { annotations: { [lastApplied]: clientSide } },
        ...data({ a: '1', b: '1' }),
      }),
      apply('other', data({ a: '2' })),
      update('third', data({ b: '3' })),
      apply('kubectl', data({ a: '2', b: '2', c: '<&>' })),
      apply('kubectl', data({ a: '2', c: '<&>' })),
      apply('kubectl', data({ a: '2', b: '3' }), true),
    ],
  ],
  [
    'a status, which only its own door changes',
    'Deployment',
    [
      apply('one', { ...deployment, status: { replicas: 7 } }),
      status(
        update('kubelet', {
          status: { replicas: 1, observedGeneration: 1 },
          metadata: { labels: { a: 'b' } },
        }),
      ),
      status(patch(merge, { status: { readyReplicas: 1 }, spec: { replicas: 9 } }, 'patcher')),
      status(
        apply('controller', { ...mine({}), status: { availableReplicas: 1, readyReplicas: 1 } }),
      ),
      status(apply('controller', { ...mine({}), status: { readyReplicas: 0 } }, true)),
      update('two', { status: { replicas: 100 }, spec: { replicas: 3 } }),
      apply('two', { ...mine({ replicas: 3 }), status: { replicas: 5 } }),
      status(
        patch(
          strategic,
          {
            status: {
              conditions: [
                { type: 'Available', status: 'True', reason: 'x', message: 'y' },
                { type: 'Progressing', status: 'True' },
              ],
            },
          },
          'controller',
        ),
      ),
      status(
        patch(
          strategic,
          { status: { conditions: [{ type: 'Available', status: 'False' }] } },
          'other',
        ),
      ),
    ],
  ],
  [
    'a write that changes nothing',
    'Service',
    [
      apply('one', { spec: { ports: [{ port: 80, name: 'a' }], clusterIP: 'None' } }),
      apply('one', { spec: { ports: [{ port: 80, name: 'a' }], clusterIP: 'None' } }),
      apply('two', { spec: { ports: [{ port: 80, name: 'a' }] } }),
      update('three', {}),
      patch(merge, { spec: { ports: [{ port: 80, name: 'a', protocol: 'TCP' }] } }),
    ],
  ],
  [
    'ports, which are ordered as numbers, and owners sent through a subresource, which are not taken',
    'Service',
    [
      update('maker', {
        spec: {
          clusterIP: 'None',
          ports: [443, 80, 9].map((port) => ({ port, name: `p${port}` })),
        },
      }),
      status(update('other', { metadata: { managedFields: [], labels: { a: 'b' } } })),
    ],
  ],
];
