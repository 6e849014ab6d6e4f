import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '#infra/cli/main.ts';
import { painter } from '#infra/cli/output.ts';
import { configMaps, namespaces, pods } from '#shared/domain/kind.ts';
import { readEnvironment } from '#shared/runtime/config.ts';
import { descendantsOf, stillThere } from '../../support/descendants.ts';
import {
  type DevProcess,
  debuggerOn,
  failedDev,
  hastyDev,
  type Line,
  postgresPid,
  postgresPidFile,
  runDev,
  startDev,
} from '../../support/dev-process.ts';
import { whileOfNewerSchema } from '../../support/newer-schema.ts';
import { memoryRegistry } from '../../support/registry/memory-registry.ts';
import { makeImage } from '../../support/registry/pushed-image.ts';
import { openHost } from '../../support/registry/scripted-host.ts';
import { until } from '../../support/until.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-dev-'));
const state = join(directory, 'state');
const functions = join(directory, 'functions');
const file = join(functions, 'greet.ts');
const config = join(directory, 'gatehouse.yaml');
const web = makeImage('web').manifest;
const memory = memoryRegistry();
memory.keep('team/web', web, '1');
const host = await openHost(memory.script);
const registry = `localhost:${host.port}`;
const settings = `nodeAffinity: { pools: [cpu-worker-0] }
imageTrust:
  hosts: [{ host: "${registry}", plainHttp: true, addresses: [127.0.0.0/8, "::1/128"] }]
  logging: { format: text }
`;
const args = ['--functions', functions, '--config', config, '--inspect=0'];

/** A user's own function, which says which version of it has run. */
const greeting = (why: string, body = '') => `
import { defineReconcile } from 'gatehouse/define';
const of = { group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', namespaced: true };
export default defineReconcile({
  name: 'greet',
  capability: 'greetings',
  trigger: { watch: { of, namespace: 'team' } },
  uses: [],
  deadlineMs: 100,
  async handler() {
    ${body}
    return { kind: 'give-up', why: ${JSON.stringify(why)} };
  },
});
`;

/** One that answers HTTP, with its name. */
const endpoint = (name: string) => `
import { defineEndpoint } from 'gatehouse/define';
export default defineEndpoint({
  name: '${name}',
  capability: 'greetings',
  trigger: { path: '/${name}' },
  uses: [],
  deadlineMs: 1_000,
  handler: () => ({ fetch: () => new Response('this is ${name}') }),
});
`;

/** A second is promised of an idle machine; here other tests have its cores, too. */
const endsWithinMs = 8_000;

/** Something to stand at, and to wait for behind it. */
const breakpoint = 'debugger; await new Promise((resolve) => setTimeout(resolve, 1));';

let dev: DevProcess;
let count = 0;

/** Something that wakes it. */
async function happens(): Promise<void> {
  count += 1;
  const metadata = { name: `map-${count}`, namespace: 'team' };
  await dev.cluster.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
}

/** What was said of it. */
function saved(text: string) {
  const reload = dev.heard(({ kind }) => kind === 'reload');
  // As editors do, each time.
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  return reload;
}

const placesNow = () => JSON.parse(readFileSync(join(state, 'endpoints.json'), 'utf8'));

function answerOf(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asked = get(url, { rejectUnauthorized: false }, (answer) => {
    text(answer).then(resolve, reject);
  });
  asked.on('error', reject);
  return promise;
}

async function cliAlone(...argv: readonly string[]) {
  const { exit, err } = await ran(argv);
  return { exit, err };
}

const cli = (...argv: readonly string[]) => ran([...argv, '--state', state]);

async function ran(argv: readonly string[]) {
  let [out, err] = ['', ''];
  const exit = await runCli(argv, {
    environment: readEnvironment({}),
    terminal: {
      print: (text) => {
        out += text;
      },
      complain: (text) => {
        err += text;
      },
      read: async () => '',
      paint: painter(false),
    },
  });
  return { exit, out, err };
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
  writeFileSync(join(functions, 'hello.ts'), endpoint('hello'));
  writeFileSync(config, settings);
  dev = await startDev({ state, args });
  const labels = { 'operator.kyma-project.io/managed-by': 'kyma' };
  // It is there: the function's role is of it.
  const target = { kind: namespaces, name: 'team' };
  await dev.cluster.patch(target, { type: 'merge', body: { metadata: { labels } } });
}, 90_000);

afterAll(async () => {
  const started = descendantsOf(dev.pid);
  await dev.end('SIGKILL');
  // Its Postgres ends by itself, and removes files meanwhile: our own removal would stop short of that.
  await until(() => stillThere(started).length === 0, 20_000);
  await host.close();
  rmSync(directory, { recursive: true, force: true });
}, 30_000);

describe('gatehouse dev', () => {
  it('runs pods on nodes, and shows what the functions did with them', async () => {
    let tries = 0;
    // The label of the namespace may not have come to us yet.
    const run = async () => {
      tries += 1;
      const metadata = { name: `web-${tries}`, namespace: 'team' };
      const spec = { containers: [{ name: 'web', image: `${registry}/team/web:1` }] };
      return dev.cluster.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    };
    const patched = (line: Line) => line.kind === 'review' && line['answered'] === 'patch';
    const [line] = await Promise.all([
      dev.heard(patched),
      expect.poll(run, { timeout: 30_000 }).toMatchObject({ object: { spec: { affinity: {} } } }),
    ]);
    const metadata = { name: `web-${tries}`, namespace: 'team' };
    expect(line).toMatchObject({ function: 'prefer-pool', object: metadata });
    await expect
      .poll(() => dev.cluster.find({ kind: pods, ...metadata }), { timeout: 30_000 })
      .toMatchObject({
        spec: { nodeName: expect.stringMatching(/^worker-[12]$/), affinity: { nodeAffinity: {} } },
        status: {
          phase: 'Running',
          containerStatuses: [{ imageID: `${registry}/team/web@${web.digest}` }],
        },
      });
  }, 60_000);

  it('says where everything is', () => {
    expect(placesNow()).toMatchObject({
      cluster: expect.stringMatching(/^https:/),
      kubeconfig: join(state, 'kubeconfig'),
      functions,
      clusterName: 'default',
    });
  });

  it('says where its endpoint functions answer, those too that come later', async () => {
    expect(Object.keys(placesNow().endpoints)).toEqual(['hello']);
    expect(await answerOf(placesNow().endpoints.hello)).toBe('this is hello');
    const later = join(functions, 'later.ts');
    const reloaded = () => dev.heard(({ kind }) => kind === 'reload');
    await Promise.all([reloaded(), writeFileSync(later, endpoint('later'))]);
    expect(await answerOf(placesNow().endpoints.later)).toBe('this is later');
    await Promise.all([reloaded(), rmSync(later)]);
    expect(Object.keys(placesNow().endpoints)).toEqual(['hello']);
  }, 60_000);

  it('runs a function anew when it is saved, and keeps the old one while it is broken', async () => {
    await greeted('one');
    expect(await saved(greeting('two'))).toMatchObject({ reload: { kind: 'reloaded' } });
    await greeted('two');

    const [problem] = problemsOf(await saved('export default {{'));
    expect(problem).toMatchObject({ file, why: expect.stringMatching(/^line 1: /) });
    await greeted('two');
    expect(await saved(greeting('three'))).toMatchObject({ reload: { kind: 'reloaded' } });
    await greeted('three');
  }, 60_000);

  it('runs at once what waited for its time, when its function is saved', async () => {
    const ran = (outcome: string) =>
      dev.heard((line) => line['function'] === 'greet' && line['outcome'] === outcome);
    await saved(greeting('never', "return { kind: 'later', afterSeconds: 86_400 };"));
    await Promise.all([ran('later'), happens()]);
    // Nothing happens from here on that would wake it.
    const again = ran('give-up');
    expect(await saved(greeting('mended'))).toMatchObject({ reload: { functions: ['greet'] } });
    expect(await again).toMatchObject({ why: 'mended' });
    await saved(greeting('three'));
  }, 60_000);

  it('runs a function anew that is saved where a link leads to', async () => {
    const elsewhere = join(mkdtempSync(join(directory, 'elsewhere-')), 'greet.ts');
    const reloaded = () => dev.heard(({ kind }) => kind === 'reload');
    writeFileSync(elsewhere, greeting('linked'));
    symlinkSync(elsewhere, `${file}.new`);
    await Promise.all([reloaded(), renameSync(`${file}.new`, file)]);
    await greeted('linked');
    await Promise.all([reloaded(), writeFileSync(elsewhere, greeting('linked anew'))]);
    await greeted('linked anew');
    await saved(greeting('three'));
  }, 60_000);

  it('runs a function anew when a file is saved that it imports from beside its folder', async () => {
    const lib = join(directory, 'lib/words.ts');
    const words = (text: string) => writeFileSync(lib, `export const words = '${text}';`);
    mkdirSync(join(lib, '..'));
    words('imported');
    const heard = () => dev.heard(({ kind }) => kind === 'reload');
    const why =
      "const { words } = await import('../lib/words.ts'); return { kind: 'give-up', why: words };";
    await saved(greeting('never', why));
    await greeted('imported');
    await Promise.all([heard(), words('imported anew')]);
    await greeted('imported anew');
    await saved(greeting('three'));
  }, 60_000);

  it('goes on whatever a function throws, forgets or ends beside its runs, and tells it', async () => {
    const stray =
      "setTimeout(() => { throw new Error('late') }); setTimeout(() => process.exit(0));";
    const forgotten = "void Promise.reject(new Error('lost'));";
    await saved(greeting('astray', `${stray} ${forgotten}`));
    const told = ['late', 'process.exit was called', 'lost'].map((why) =>
      dev.heard((line) => line.kind === 'error' && String(line['err']).includes(why)),
    );
    await Promise.all([...told, greeted('astray')]);
    await saved(greeting('three'));
    await greeted('three');
  }, 60_000);

  it('waits for whoever stands at a breakpoint', async () => {
    await saved(greeting('looked at', breakpoint));
    const standing = await debuggerOn(dev, 400);
    await greeted('looked at');
    expect(standing.stops()).toBeGreaterThan(0);
    standing.close();
    await saved(greeting('three'));
  }, 60_000);

  it('warns of what it does not use, at its start and after a change', async () => {
    const warned = (key: string) => ({
      kind: 'warning',
      warnings: [expect.stringContaining(`imageTrust.logging.${key}: not used`)],
    });
    expect(dev.lines).toContainEqual(expect.objectContaining(warned('format')));
    const heard = dev.heard(({ kind }) => kind === 'warning');
    const level = settings.replace('format: text', 'format: text, level: debug');
    writeFileSync(config, `${level}log: { level: info }\n`);
    expect(await heard).toMatchObject(warned('level'));
    writeFileSync(config, settings);
  }, 60_000);

  it('keeps its configuration while the file is broken', async () => {
    // Beside other errors, which a slow machine may bring.
    const refused = dev.heard(({ message }) => /the last good one is kept/.test(String(message)));
    writeFileSync(config, 'nodeAffinity: { pool: [] }\n');
    expect(await refused).toMatchObject({
      kind: 'error',
      why: expect.stringContaining('nodeAffinity'),
    });
    writeFileSync(config, settings);
    await greeted('three');
  }, 60_000);

  it.each([
    ['in its folder', () => ({ state }), 'another Gatehouse uses this state folder'],
    ['that would forget it', () => ({ state, args: ['--fresh'] }), 'another Gatehouse uses this'],
    [
      'at its port',
      () => ({ state: join(directory, 'other'), args: ['--port', portOf(dev)] }),
      /port \d+ is in use/,
    ],
    [
      'at its port, for a debugger',
      () => ({ state: join(directory, 'other'), args: ['--inspect', portOf(dev)] }),
      /the inspector cannot be opened\n {2}where: port \d+ of 127\.0\.0\.1 is in use/,
    ],
  ])(
    'goes on beside another one %s, which is refused',
    async (_, other, why) => {
      const said = await failedDev(other());
      expect(said).toMatch(why);
      expect(said).toMatch(/^1 .*gatehouse: .*\n {2}where: .*\n {2}to mend it: /s);
      await greeted('three');
    },
    60_000,
  );

  it('is broken by gatehouse fault, for people and for scripts', async () => {
    const told = dev.heard(
      ({ kind, text }) => kind === 'note' && text === 'fault: conflict times=1',
    );
    expect(await cli('fault', 'duplicate', 'times=1')).toMatchObject({
      exit: 0,
      out: 'duplicate is turned\n',
    });
    const asked = await cli('fault', 'conflict', '1', '-o', 'json');
    expect(JSON.parse(asked.out)).toEqual({ kind: 'turned', name: 'conflict', times: 1 });
    await told;
    const taken = { exit: 0, out: 'all that lasted are taken back\n' };
    expect(await cli('fault', 'off')).toMatchObject(taken);
    expect(await cli('fault', 'gone')).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/not turned\n {2}where: .*gone kind.*\n {2}to mend it: .*--help/),
    });
    // It was called rightly.
    expect(await cli('fault', 'recreate', 'Namespace', 'default')).toMatchObject({
      exit: 1,
      err: expect.stringMatching(
        /not turned\n {2}where: .*has finalizers.*\n {2}to mend it: .*another object/,
      ),
    });
  });

  it('is shown by gatehouse demo, which leaves nothing behind', async () => {
    const shown = await cli('demo', '-o', 'json');
    expect(shown).toMatchObject({ exit: 0, err: '' });
    const acts = shown.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(acts).toHaveLength(4);
    expect(acts[1].came.join()).toContain('nodeAffinity');
    expect(acts[2].came).toContain('it has no affinity');
    const foreign = { kind: namespaces, name: 'gatehouse-demo-elsewhere' };
    await expect.poll(() => dev.cluster.find(foreign), { timeout: 45_000 }).toBe(undefined);
  }, 60_000);

  it('ends whole, even before it has begun, and goes on with its state although its log is half written', async () => {
    const copied = readFileSync(join(state, 'kubeconfig'), 'utf8');
    const started = descendantsOf(dev.pid);
    expect(started.map(({ pid }) => pid)).toContain(postgresPid(state));
    const told = performance.now();
    expect(await dev.end()).toBe(0);
    expect(performance.now() - told).toBeLessThan(endsWithinMs);
    expect(stillThere(started)).toEqual([]);

    const isPostgresUp = () => existsSync(postgresPidFile(state));
    expect(await hastyDev({ state, args }, isPostgresUp)).toBe(0);
    expect(isPostgresUp()).toBe(false);

    appendFileSync(join(state, 'cluster/state.log'), '{"r":9');
    dev = await startDev({ state, args });
    expect(dev.lines).toContainEqual({
      kind: 'note',
      text: expect.stringContaining('half written, and is dropped'),
    });
    const found = await dev.cluster.find({ kind: configMaps, namespace: 'team', name: 'map-1' });
    expect(found?.metadata.name).toBe('map-1');
    // A copy of it, too, leads here still.
    expect(readFileSync(join(state, 'kubeconfig'), 'utf8')).toBe(copied);
    await greeted('three');
  }, 90_000);

  it('is resumed after it was killed, whatever was tried on its folder meanwhile', async () => {
    await saved(greeting('in its hands', breakpoint));
    const standing = await debuggerOn(dev, 600_000);
    // Its own answer may be caught by the breakpoint, too.
    happens().catch(() => {});
    await expect.poll(standing.stops, { timeout: 30_000 }).toBe(1);
    await dev.end('SIGKILL');
    const log = join(state, 'cluster/state.log');
    const kept = readFileSync(log, 'utf8');
    writeFileSync(log, kept.replace('"version":1', '"version":99'));
    expect(await failedDev({ state })).toMatch(/this state folder is of a newer Gatehouse/);
    writeFileSync(log, kept);
    await whileOfNewerSchema(state, async () =>
      expect(await failedDev({ state, args })).toMatch(
        /^1 .*this state folder is of a newer Gatehouse\n {2}where: .* it has 9999_newer\n.*\/postgres\n {2}to mend it: .*--fresh\n$/s,
      ),
    );
    writeFileSync(file, 'export default {{');
    expect(await failedDev({ state, args })).toMatch(
      /^1 .*these functions cannot be used\n {2}where: .*greet.ts: line 1: .*\n {2}to mend it: /s,
    );
    writeFileSync(file, greeting('after all'));
    dev = await startDev({ state, args });
    const isIt = (line: Line) =>
      line['why'] === 'after all' && JSON.stringify(line).includes(`"map-${count}"`);
    expect(dev.lines.find(isIt) ?? (await dev.heard(isIt))).toMatchObject({ function: 'greet' });
  }, 90_000);

  it('forgets its state where it is to begin afresh, and nothing else that lies there', async () => {
    const first = { kind: configMaps, namespace: 'team', name: 'map-1' };
    expect(await dev.cluster.find(first)).toMatchObject({ metadata: { name: 'map-1' } });
    // As a terminal that is closed.
    expect(await dev.end('SIGHUP')).toBe(0);
    const [ours, theirs] = [join(state, 'postgres/old'), join(state, 'notes')];
    for (const path of [ours, theirs]) writeFileSync(path, '');
    const inItsPlace = createServer().listen(Number(portOf(dev)), '127.0.0.1');
    await once(inItsPlace, 'listening');
    // Without a debugger, at which anybody may stand for as long as he likes.
    dev = await startDev({ state, args: [...args.slice(0, -1), '--fresh'] });
    inItsPlace.close();
    expect(dev.lines).toContainEqual({
      kind: 'note',
      text: expect.stringMatching(/^the cluster is at port \d+, since its own, \d+, is in use/),
    });
    expect(await dev.cluster.find(first)).toBe(undefined);
    expect([ours, theirs].map((path) => existsSync(path))).toEqual([false, true]);
  }, 60_000);

  it('tells for which program a function waits in the midst of a call, and goes on after it', async () => {
    const metadata = { name: 'team' };
    await dev.cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    const wait =
      "const { execSync } = await import('node:child_process'); execSync('sleep 6; true');";
    await saved(greeting('waited', wait));
    const told = dev.heard(({ message }) => /in the midst of a call/.test(String(message)));
    await greeted('waited');
    expect(await told).toMatchObject({
      kind: 'error',
      why: expect.stringContaining('as execSync does for the program /bin/sh -c sleep 6; true; '),
    });
    await saved(greeting('three'));
  }, 60_000);

  it('tells which function keeps it waiting, and is ended by Ctrl-C all the same', async () => {
    await saved(greeting('never', 'while (true);'));
    const stuck = dev.heard(({ message }) => /neither returns nor waits/.test(String(message)));
    const started = descendantsOf(dev.pid);
    happens().catch(() => {});
    const { why } = await stuck;
    expect(why).toMatch(new RegExp(`^${file}:11; `));
    const told = performance.now();
    expect(await dev.end()).toBe(null);
    expect(performance.now() - told).toBeLessThan(endsWithinMs);
    await expect.poll(() => stillThere(started), { timeout: 20_000 }).toEqual([]);
  }, 60_000);
});

describe('gatehouse dev that is called in a wrong way', () => {
  it.each([
    ['--clean', ['--clean']],
    ['--yes', ['--yes']],
    ['--webhook-host', ['--webhook-host', 'laptop']],
  ])('refuses %s where no other cluster is named, and begins nothing', async (option, given) => {
    const other = join(directory, 'unbegun');
    expect(await cliAlone('dev', '--state', other, ...given)).toEqual({
      exit: 2,
      err: expect.stringContaining(
        `option '${option}' is of another cluster: name it by --against`,
      ),
    });
    expect(existsSync(other)).toBe(false);
  });
});

describe('gatehouse dev that cannot begin', () => {
  const written = (name: string, text: string) => {
    const path = join(directory, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  it.each([
    ['a file for a folder', () => ['--state', file], 'the state folder is a file'],
    [
      'a folder in a file',
      () => ['--state', join(file, 'in')],
      'the state folder cannot be written',
    ],
    [
      'a broken configuration',
      () => ['--config', written('broken.yaml', 'worker: 3')],
      'the configuration cannot be used',
    ],
    [
      'another cluster, and nobody to ask',
      () => ['--state', join(directory, 'fourth'), '--against', written('kubeconfig', kubeconfig)],
      'nothing was changed in that cluster',
    ],
    [
      'what is no kubeconfig',
      () => ['--state', join(directory, 'fourth'), '--against', written('empty', '')],
      'the kubeconfig cannot be used',
    ],
  ])(
    'given %s says what, where and how to mend it',
    async (_, given, what) => {
      const { exit, err } = await ran(['dev', ...given()]);
      expect(exit).toBe(1);
      expect(err).toMatch(/\n {2}where: .*\n {2}to mend it: /s);
      expect(err).toContain(`gatehouse: ${what}`);
    },
    60_000,
  );
});

it.each([
  ['misses a file', {}, 'the data of the embedded Postgres are not whole'],
  ['is broken', { 'postgres/password': 'secret' }, 'the embedded Postgres '],
])(
  'gatehouse dev whose cluster is lost and whose database %s says both, and how to begin afresh',
  async (name, files, what) => {
    const other = join(directory, name);
    const log = join(other, 'cluster/state.log');
    const all = { 'cluster/state.log': '', 'postgres/data/PG_VERSION': '18\n', ...files };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(join(other, path, '..'), { recursive: true });
      writeFileSync(join(other, path), text);
    }
    const { code, printed, complained } = await runDev({ state: other });
    expect(code).toBe(1);
    expect(printed).toContain(`the cluster of last time is lost: there is nothing in ${log}`);
    expect(complained).toMatch(
      new RegExp(`^gatehouse: ${what}.*\n {2}where: .*\n.*to mend it: .*--fresh`, 's'),
    );
  },
  60_000,
);

const kubeconfig = JSON.stringify({
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'here' } }],
  clusters: [{ name: 'here', cluster: { server: 'https://127.0.0.1:1' } }],
});

function portOf({ lines }: DevProcess): string {
  const ready = lines.find(({ kind }) => kind === 'ready');
  return new URL(String(ready?.['cluster'])).port;
}

function problemsOf(line: { readonly [key: string]: unknown }) {
  const { reload } = line as { readonly reload?: { readonly problems?: readonly object[] } };
  return reload?.problems ?? [];
}
