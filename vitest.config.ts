import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { openRunFolder } from './test/support/run-folder.ts';

openRunFolder();

/** Their scenes are of today, which all that a worker loads has to know before: others' are of 2030. */
const ofToday = [
  'test/contracts/end-to-end/image-trust.test.ts',
  'test/infra/cli/explain/vouching.test.ts',
];

/** What every queue has to be, tried on the default one: the one suite of Postgres in `unit`. */
const contract = 'test/events/postgres-queue/contract.test.ts';
/** What else of events and storage asks a database: in `test:real`, on the oldest that is supported as well. */
const ofDatabase = [
  'test/contracts/{mirror,restarts,store,verdicts}.test.ts',
  'test/events/forwarder/{forgotten-commits,left-unread,odd-content,out-of-sight,read-late}.test.ts',
  'test/events/forwarder/{retired-scope,roll-out,unkept,unsent}.test.ts',
  'test/events/postgres-queue/!(contract).test.ts',
  'test/events/sqs-queue/from-postgres.test.ts',
  'test/infra/migrations/*.test.ts',
  'test/infra/cli/{migrate,on-database}.test.ts',
  'test/shared/adapters/database/*.test.ts',
  'test/shared/adapters/image-trust/shared-verdicts.test.ts',
  'test/shared/runtime/{known-schema,staleness,standing-still}.test.ts',
  'test/shared/runtime/forwarding/sweeping.test.ts',
  'test/shared/runtime/invoke/{open-upkeep,posted}.test.ts',
  'test/shared/runtime/worker/set-order.test.ts',
];
/** What starts servers, which is the half of its work. */
const ofServers = [
  'test/events/sqs-queue/{contract,dead-letters,mapped,receiving,relay,returning,sqs,sqs-queue}.test.ts',
  'test/infra/cli/{database,queue-sqs}.test.ts',
  'test/infra/embedded-postgres/{claim,start}.test.ts',
];
const onOldest = 'test/real/on-postgres-15/*.test.ts';

/** It waits for others most of the time: at the end of a run it would wait alone. */
const waiting = /\/test\/chaos\/chaos\.test\.ts$/;

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [first, rest] = [true, false].map((is) =>
      files.filter(({ moduleId }) => waiting.test(moduleId) === is),
    );
    return [...(first ?? []), ...(await super.sort(rest ?? []))];
  }
}

/** For Vite's loader, as tsconfig.json has it: by their own name our faces are their sources, also where a build lies. */
const resolve = {
  alias: ['define', 'testing'].map((face) => ({
    find: `gatehouse/${face}`,
    replacement: join(import.meta.dirname, `infra/authoring/${face}.ts`),
  })),
};

const preloaded = ['infra/own-imports.mjs', 'test/support/light-packages.ts'];
/**
 * Node loads what is tried as it loads what is served, and keeps what it compiled: Vite's own loader is a tenth more work, a
 * quarter in a first run. Real tests have packages whole.
 */
const asServed = {
  execArgv: preloaded.flatMap((file) => ['--import', join(import.meta.dirname, file)]),
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        test: {
          name: 'unit',
          pool: 'forks',
          ...asServed,
          isolate: false,
          // Half of the time somebody waits for another process: a worker a core is one too few.
          maxWorkers: 3,
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**', 'test/bench/**', ...ofToday, ...ofDatabase, ...ofServers],
          // The first one that asks for a database waits until there is a server.
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'unit of today',
          pool: 'forks',
          ...asServed,
          include: ofToday,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve,
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          exclude: [onOldest],
          globalSetup: ['test/real/kube/provided.ts'],
          testTimeout: 60_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'real on Postgres 18',
          pool: 'forks',
          ...asServed,
          isolate: false,
          maxWorkers: 3,
          include: [...ofDatabase, ...ofServers],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve,
        test: {
          name: 'real on Postgres 15',
          env: { TEST_POSTGRES: '15' },
          pool: 'forks',
          isolate: false,
          maxWorkers: 3,
          include: [contract, ...ofDatabase, onOldest],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
