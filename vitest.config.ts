import { defineConfig } from 'vitest/config';

/** Their scenes are of today, which all that a worker loads has to know before: others' are of 2030. */
const ofToday = [
  'test/contracts/end-to-end/image-trust.test.ts',
  'test/infra/cli/explain/vouching.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          pool: 'threads',
          isolate: false,
          // Half of the time somebody waits for another process: a worker a core is one too few.
          maxWorkers: 3,
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**', 'test/bench/**', ...ofToday],
          // The first one that asks for a database waits until there is a server.
          testTimeout: 15_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'unit of today',
          pool: 'threads',
          include: ofToday,
          testTimeout: 15_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          globalSetup: ['test/real/kube/provided.ts'],
          testTimeout: 60_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
