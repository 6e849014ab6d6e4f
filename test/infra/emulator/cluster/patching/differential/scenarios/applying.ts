import {
  apply,
  data,
  deployment,
  merge,
  mine,
  patch,
  podSpec,
  type Scenario,
  update,
} from './steps.ts';

export const applying: readonly Scenario[] = [
  [
    'two appliers that want different values, one of them by force',
    'ConfigMap',
    [
      apply('one', data({ a: '1', b: '1' })),
      apply('two', data({ a: '2' })),
      apply('two', data({ a: '2', c: '3' }), true),
      apply('one', data({ a: '1' })),
      apply('one', data({ b: '1' })),
      apply('one', {}),
    ],
  ],
  [
    'two appliers that share a value, of which one lets go',
    'ConfigMap',
    [
      apply('one', data({ a: '1' })),
      apply('two', data({ a: '1' })),
      apply('one', data({ b: '1' })),
      apply('two', {}),
    ],
  ],
  [
    'a conflict with an updater, and with several at once',
    'Deployment',
    [
      update('creator', deployment),
      apply('one', mine({ replicas: 2 })),
      patch(merge, { spec: { replicas: 5, paused: true } }, 'scaler'),
      apply('one', mine({ replicas: 2, paused: false })),
      apply('one', mine({ replicas: 2, paused: false, minReadySeconds: 7 }), true),
      apply('one', mine({})),
    ],
  ],
  [
    'a configuration that does not fit',
    'Deployment',
    [
      apply('one', deployment),
      apply('one', { spec: { unknown: 1 } }),
      apply('one', { metadata: { managedFields: [] } }),
      apply('one', mine({ replicas: 'many' })),
      apply('one', podSpec({ containers: [{ name: 'a' }, { name: 'a' }] })),
      apply('one', podSpec({ containers: [null] })),
      apply('one', podSpec({ containers: 'x' })),
      apply('one', podSpec({ containers: [{ name: 'a', ports: [{}, { containerPort: 0 }] }] })),
      apply('one', podSpec({ nodeName: { a: [1, 'x', null, { b: true }] } })),
      apply('one', podSpec({ hostNetwork: [1.5, false] })),
      apply('one', { metadata: { finalizers: ['a.b/c', null] } }),
      apply('one', { metadata: { labels: 'x' } }),
    ],
  ],
  [
    'keys of a list that have defaults',
    'Deployment',
    [
      apply('one', deployment),
      apply('two', {
        spec: {
          selector: { matchLabels: { app: 'x' } },
          template: {
            spec: {
              containers: [
                { name: 'a', ports: [{ containerPort: 80, protocol: 'TCP', hostIP: '1.1.1.1' }] },
              ],
            },
          },
        },
      }),
      apply('one', deployment),
      apply('two', mine({})),
    ],
  ],
  [
    'nulls in a configuration',
    'Deployment',
    [
      apply('one', deployment),
      apply('one', { ...deployment, metadata: { labels: null, annotations: {} } }),
      apply('two', mine({ replicas: null, paused: null }), true),
      apply('two', { metadata: { labels: { a: 'b' } }, ...mine({}) }),
    ],
  ],
];
