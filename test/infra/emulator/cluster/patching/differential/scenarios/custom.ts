import { apply, merge, patch, type Scenario, status, strategic, update } from './steps.ts';

export const custom: readonly Scenario[] = [
  [
    'merge patches',
    'Widget',
    [
      update('creator', { spec: { size: 1, free: { a: [1], b: { c: null } } } }),
      patch(merge, { spec: { free: { a: null, b: { d: null, e: [{ f: null }, null] } } } }),
      patch(merge, { spec: { free: { b: [{ f: null }] } } }),
      patch(merge, { spec: { free: { b: { g: { h: null, i: 1 } } } } }),
      patch(merge, { spec: { free: { b: [{ f: null }] } } }),
      patch(merge, { spec: { free: { b: 'text' }, size: null } }),
      patch(merge, null),
      patch(merge, [1]),
      patch(merge, 'text'),
      patch(merge, true),
      patch(strategic, { spec: { size: 3 } }),
      patch('application/odd', {}),
    ],
  ],
  [
    'the status of a custom resource',
    'Widget',
    [
      apply('one', { spec: { size: 1 }, status: { phase: 'x' } }),
      status(apply('controller', { status: { phase: 'a', seen: 1 } })),
      status(update('other', { status: { seen: 2 }, spec: { size: 9 } })),
      status(apply('controller', { status: { phase: 'a', seen: 1 } })),
      status(apply('controller', { status: { phase: 'a' } })),
      update('two', { spec: { size: 2 }, status: { phase: 'z' } }),
    ],
  ],
  [
    'lists, sets and maps of a custom resource that are emptied',
    'Widget',
    [
      apply('one', {
        spec: {
          ports: [{ port: 1 }, { port: 10, protocol: 'UDP', name: 'x' }, { port: 2 }],
          tags: ['b', 'a', '<c>'],
          args: ['1', '2'],
          whole: { a: '1', b: '2' },
          free: { a: { b: [1, { c: 2 }] }, x: [] },
          parts: { a: '1', b: '2' },
          limit: '50%',
        },
      }),
      apply('two', {
        spec: { tags: ['d', 'a'], ports: [{ port: 2, name: 'y' }, { port: 3 }], parts: { a: '1' } },
      }),
      apply('one', {
        spec: {
          ports: [{ port: 1 }],
          tags: ['<c>'],
          args: [],
          whole: {},
          free: { x: [] },
          parts: { b: '2' },
        },
      }),
      apply('two', { spec: {} }),
      apply('one', { spec: { ports: [], tags: [] } }),
      apply('one', {}),
    ],
  ],
  [
    'lists that are stated in another order',
    'Widget',
    [
      apply('one', { spec: { tags: ['a', 'b', 'c', 'd'], ports: [{ port: 1 }, { port: 2 }] } }),
      apply('two', {
        spec: { tags: ['d', 'x', 'b'], ports: [{ port: 3 }, { port: 2 }, { port: 1 }] },
      }),
      apply('one', { spec: { tags: ['c', 'y', 'b', 'a'], ports: [{ port: 1 }, { port: 10 }] } }),
      apply('three', { spec: { tags: ['y', 'a', 'z', 'x', 'c'] } }),
    ],
  ],
  [
    'a list whose last item goes while another owns the list',
    'Widget',
    [
      update('maker', { metadata: { finalizers: ['e.x/a'] }, spec: { size: 1 } }),
      apply('one', { metadata: { finalizers: ['e.x/b'] } }),
      patch(merge, { metadata: { finalizers: ['e.x/b'] } }, 'maker'),
      apply('one', {}),
    ],
  ],
];
