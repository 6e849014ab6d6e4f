import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMaps, namespaces, pods } from '#shared/domain/kind.ts';
import { type DevProcess, failedDev, postgresPid, startDev } from '../../support/dev-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-dev-'));
const state = join(directory, 'state');
const functions = join(directory, 'functions');
const file = join(functions, 'greet.ts');

/** A user's own function, which says which version of it has run. */
const greeting = (why: string) => `
import { defineReconcile } from 'gatehouse/define';
const of = { group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', namespaced: true };
export default defineReconcile({
  name: 'greet',
  capability: 'greetings',
  trigger: { watch: { of, namespace: 'team' } },
  uses: [],
  deadlineMs: 1_000,
  handler: async () => ({ kind: 'give-up', why: ${JSON.stringify(why)} }),
});
`;

let dev: DevProcess;
let count = 0;

/** Something that wakes it. */
async function happens(): Promise<void> {
  count += 1;
  const metadata = { name: `map-${count}`, namespace: 'team' };
  await dev.cluster.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
}

async function greeted(why: string): Promise<void> {
  const [ran] = await Promise.all([
    dev.heard((line) => line.kind === 'run' && line['function'] === 'greet'),
    happens(),
  ]);
  expect(ran['why']).toBe(why);
}

beforeAll(async () => {
  mkdirSync(functions);
  writeFileSync(file, greeting('one'));
  dev = await startDev({ state, args: ['--functions', functions] });
  const labels = { 'operator.kyma-project.io/managed-by': 'kyma' };
  // It is there: the function's role is of it.
  const target = { kind: namespaces, name: 'team' };
  await dev.cluster.patch(target, { type: 'merge', body: { metadata: { labels } } });
}, 90_000);

afterAll(async () => {
  await dev.end('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

describe('gatehouse dev', () => {
  it('runs pods on nodes, and shows what the functions did with them', async () => {
    const metadata = { name: 'web', namespace: 'team' };
    const spec = { containers: [{ name: 'web', image: 'nginx' }] };
    const [line] = await Promise.all([
      dev.heard(({ kind, ...rest }) => kind === 'review' && rest['function'] === 'prefer-pool'),
      dev.cluster.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec }),
    ]);
    expect(line).toMatchObject({ answered: 'patch', object: { name: 'web', namespace: 'team' } });
    await expect
      .poll(() => dev.cluster.find({ kind: pods, ...metadata }), { timeout: 30_000 })
      .toMatchObject({
        spec: { nodeName: expect.stringMatching(/^worker-[12]$/), affinity: { nodeAffinity: {} } },
        status: { phase: 'Running' },
      });
  }, 60_000);

  it('says where everything is', () => {
    const places = JSON.parse(readFileSync(join(state, 'endpoints.json'), 'utf8'));
    expect(places).toMatchObject({
      cluster: expect.stringMatching(/^https:/),
      kubeconfig: join(state, 'kubeconfig'),
    });
  });

  it('runs a function anew when it is saved, and keeps the old one while it is broken', async () => {
    await greeted('one');
    const saved = (text: string) => {
      const reload = dev.heard(({ kind }) => kind === 'reload');
      writeFileSync(file, text);
      return reload;
    };
    expect(await saved(greeting('two'))).toMatchObject({ reload: { kind: 'reloaded' } });
    await greeted('two');

    const [problem] = problemsOf(await saved('export default {{'));
    expect(problem).toMatchObject({ file, why: expect.stringMatching(/^line 1: /) });
    await greeted('two');
    expect(await saved(greeting('three'))).toMatchObject({ reload: { kind: 'reloaded' } });
    await greeted('three');
  }, 60_000);

  it('does not share its folder', async () => {
    expect(await failedDev({ state })).toMatch(/gatehouse: .*\n {2}to mend it: /s);
    await greeted('three');
  }, 60_000);

  it('ends whole, and goes on with its state', async () => {
    const pid = postgresPid(state);
    expect(await dev.end()).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');

    dev = await startDev({ state, args: ['--functions', functions] });
    const found = await dev.cluster.find({ kind: configMaps, namespace: 'team', name: 'map-1' });
    expect(found?.metadata.name).toBe('map-1');
    await greeted('three');
  }, 90_000);
});

function problemsOf(line: { readonly [key: string]: unknown }) {
  const { reload } = line as { readonly reload?: { readonly problems?: readonly object[] } };
  return reload?.problems ?? [];
}
