import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { configSchema } from '#infra/cli/config.ts';
import { runCli } from '#infra/cli/main.ts';
import { painter } from '#infra/cli/output.ts';
import { bundleShape, documentShape } from '#shared/domain/pod-bootstrap/document.ts';
import { readDocument } from '#shared/domain/pod-bootstrap/read-document.ts';
import { knownKeys } from '#shared/runtime/config/known-keys.ts';
import { readEnvironment } from '#shared/runtime/config.ts';
import { readmeExample } from '#test/support/readme-example.ts';
import manifest from '../../../package.json' with { type: 'json' };

type Variables = Readonly<Record<string, string>>;

async function gatehouse(argv: readonly string[], variables: Variables = {}, given = '') {
  let out = '';
  let err = '';
  const exit = await runCli(argv, {
    environment: readEnvironment(variables),
    terminal: {
      print: (said) => {
        out += said;
      },
      complain: (said) => {
        err += said;
      },
      read: async () => given,
      paint: painter(false),
    },
  });
  return { exit, out, err };
}

describe('gatehouse', () => {
  it.each([
    ['its version', ['--version'], 0, `${manifest.version}\n`],
    ['its verbs', ['--help'], 0, 'explain'],
    ['the help of a verb', ['explain', '--help'], 0, '--namespace-file'],
    ['what a tail does not tell', ['events', 'tail', '--help'], 0, 'Reviews'],
    ['how long a fault lasts', ['fault', '--help'], 0, 'Until Gatehouse misses the bookmarks'],
    ['how a fault is taken back', ['fault', '--help'], 0, 'gatehouse fault off'],
    ['how a fault is turned by HTTP', ['fault', '--help'], 0, 'to /faults at the address control'],
    ['the help of a verb in the other order', ['help', 'explain'], 0, '--namespace-file'],
  ])('prints %s', async (_, argv, exit, expected) => {
    const answer = await gatehouse(argv);
    expect(answer).toMatchObject({ exit, err: '' });
    expect(answer.out).toContain(expected);
  });

  it.each([
    ['no image', ['verify'], "missing required argument 'image'"],
    ['an unknown option', ['report', '--nods'], "unknown option '--nods'"],
    [
      'a configuration that is not there',
      ['verify', 'a.io/web:1', '--config', '/nowhere.yaml'],
      'the configuration cannot be used',
    ],
    ['a list that is not there', ['report', '-f', '/nowhere'], '/nowhere'],
    ['nothing to ask about', ['report'], 'no images are named, and there is no cluster'],
  ])(
    'ends the verbs of images with 3, not with what they may find, for %s',
    async (_, argv, expected) => {
      const answer = await gatehouse(['image', ...argv]);
      expect(answer).toMatchObject({ exit: 3, out: '' });
      expect(answer.err).toContain(expected);
    },
  );

  it.each(['verify', 'report'])(
    'says in the help of image %s what its exit codes mean',
    async (verb) => {
      const { out } = await gatehouse(['image', verb, '--help']);
      expect(out.replace(/\s+/g, ' ')).toMatch(
        /Exits with 0 if .* 1 if .* 2 if .* 3 if .* wrong usage/,
      );
    },
  );

  it.each([
    ['no verb', [], 'Usage: gatehouse'],
    ['an unknown verb', ['explan'], '(Did you mean explain?)'],
    ['another unknown verb', ['serv'], '(Did you mean serve?)'],
    ['an unknown option', ['explain', '-f', 'x', '--nods', 'y'], "unknown option '--nods'"],
    ['an option left out', ['explain'], "required option '-f, --filename <file>'"],
    ['a choice that is none', ['config', 'show', '-o', 'xml'], 'Allowed choices are yaml, json'],
    ['a fault that is called wrongly', ['fault', 'fail', 'abc'], 'it is called as fail code'],
    ['a fault that there is not', ['fault', 'fial'], 'no fault is called fial'],
    ['a file left out', ['config', 'check'], 'name a file, or set GATEHOUSE_CONFIG'],
    [
      'a state of webhooks that is none',
      ['webhooks', 'bla'],
      'Allowed choices are on, off, status',
    ],
  ])('does not understand %s, and says how it is written', async (_, argv, expected) => {
    const answer = await gatehouse(argv);
    expect(answer).toMatchObject({ exit: 2, out: '' });
    expect(answer.err).toContain(expected);
  });

  it.each([
    ['an address that is none', ['migrate', '--check'], 'set DATABASE_URL to'],
    ['broken YAML', ['explain', '-f', '-'], 'where: -:'],
  ])('sends nobody to a stack that says no more: %s', async (_, argv, expected) => {
    const given = { DATABASE_URL: 'nonsense' };
    const { exit, err } = await gatehouse(argv, given, 'a: [b\n');
    expect([exit, err]).toEqual([1, expect.stringContaining(expected)]);
    expect(err).not.toContain('--debug');
  });

  it('warns of a variable that it does not know', async () => {
    const { exit, err } = await gatehouse(['config', 'show'], { GATEHOUSE_CONFGI: 'x' });
    expect([exit, err]).toEqual([0, expect.stringContaining('did you mean GATEHOUSE_CONFIG?')]);
  });
});

describe('a verb that looks into the state of a dev', () => {
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-looking-'));
  const [state, own] = [join(home, 'state'), join(home, 'functions')];
  const tail = ['events', 'tail', '--function', 'forbid-latest'];
  const isKnown = 'forbid-latest answers reviews';

  beforeAll(() => {
    for (const folder of [state, own]) mkdirSync(folder);
    writeFileSync(join(own, 'forbid-latest.ts'), readmeExample());
    writeFileSync(join(state, 'endpoints.json'), JSON.stringify({ functions: own }));
  });

  afterAll(() => {
    rmSync(home, { recursive: true });
  });

  it('knows the functions that the dev was started with', async () => {
    expect((await gatehouse([...tail, '--state', state])).err).toContain(isKnown);
    expect((await gatehouse(tail, { GATEHOUSE_STATE: state })).err).toContain(isKnown);
  });

  it('knows those that are named where some are, and none of another database', async () => {
    const [other, DATABASE_URL] = [join(home, 'other'), 'postgres://a:b@127.0.0.1:1/c'];
    mkdirSync(other);
    writeFileSync(
      join(other, 'forbid-all.ts'),
      readmeExample().replace("'forbid-latest'", "'forbid-all'"),
    );
    const isStrange = 'there is no function forbid-latest here';
    for (const [argv, variables] of [
      [['--functions', other], { GATEHOUSE_STATE: state }],
      [[], { GATEHOUSE_STATE: state, GATEHOUSE_FUNCTIONS: other }],
      [[], { GATEHOUSE_STATE: state, DATABASE_URL }],
    ] as const) {
      expect((await gatehouse([...tail, ...argv], variables)).err).toContain(isStrange);
    }
  });

  it('says that their folder is gone', async () => {
    const [gone, places] = [join(home, 'gone'), join(home, 'stale')];
    mkdirSync(places);
    writeFileSync(join(places, 'endpoints.json'), JSON.stringify({ functions: gone }));
    const { exit, err } = await gatehouse([...tail, '--state', places]);
    expect([exit, err]).toEqual([
      1,
      [
        'gatehouse: the folder of functions is gone that gatehouse dev was started with',
        `  where: ${gone}, as ${join(places, 'endpoints.json')} has it`,
        '  to mend it: put it back, or name the one that is meant by --functions',
        '',
      ].join('\n'),
    ]);
    const named = await gatehouse([...tail, '--state', places, '--functions', own]);
    expect(named.err).toContain(isKnown);
  });
});

describe('gatehouse config', () => {
  let folder: string;
  let good: string;
  let bad: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
    good = join(folder, 'good.yaml');
    bad = join(folder, 'bad.yaml');
    writeFileSync(good, 'nodeAffinity: { pools: [blue] }\n');
    writeFileSync(bad, 'nodeAffinity: { pool: [blue] }\nlog: { level: loud }\n');
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('checks a file that is good', async () => {
    const expected = { exit: 0, out: `${good}: good\n`, err: '' };
    expect(await gatehouse(['config', 'check', good])).toEqual(expected);
    expect(await gatehouse(['config', 'check'], { GATEHOUSE_CONFIG: good })).toEqual(expected);
    expect(await gatehouse(['--config', good, 'config', 'check'])).toEqual(expected);
  });

  it('checks a file that is not, and fails with all that is wrong', async () => {
    expect(await gatehouse(['config', 'check', bad])).toEqual({
      exit: 1,
      out: [
        `${bad}:1:17: nodeAffinity.pool: expected a known key, found an unknown key; did you mean nodeAffinity.pools?\n`,
        `${bad}:2:15: log.level: expected one of debug, info, warn, error, found "loud"\n`,
      ].join(''),
      err: '',
    });
  });

  it('checks a file that is good, and warns of what is not used', async () => {
    const [file, theirs] = [join(folder, 'ours.yaml'), join(folder, 'warden.yaml')];
    writeFileSync(file, 'imageTrust: { file: warden.yaml }\n');
    writeFileSync(theirs, 'notary: { mystery: 1 }\n');
    const warning = `${theirs}: notary.mystery: unknown, and not used`;
    expect(await gatehouse(['config', 'check', file])).toEqual({
      exit: 0,
      out: `warning: ${warning}\n${file}: good\n`,
      err: '',
    });
    const { out } = await gatehouse(['config', 'check', file, '-o', 'json']);
    expect(JSON.parse(out)).toEqual({ file, ok: true, problems: [], warnings: [warning] });
  });

  it('warns of what stands there for a function that cannot use it', async () => {
    const [file, own] = [join(folder, 'custom.yaml'), join(folder, 'sweeping')];
    mkdirSync(own);
    writeFileSync(
      join(own, 'sweep.ts'),
      `import { defineReconcile, done } from 'gatehouse/define';
      export default defineReconcile({
        name: 'sweep',
        capability: 'my-team',
        trigger: { everySeconds: { setting: 'custom.sweep.everySeconds', fallback: 60 } },
        uses: [],
        deadlineMs: 1_000,
        handler: () => done,
      });`,
    );
    writeFileSync(file, 'custom: { sweep: { everySeconds: 60s } }\n');
    expect(await gatehouse(['config', 'check', file, '--functions', own])).toEqual({
      exit: 0,
      out: `warning: ${file}: sweep: custom.sweep.everySeconds: expected a number, found "60s"; 60 is used\n${file}: good\n`,
      err: '',
    });

    const typed = join(folder, 'typed.yaml');
    writeFileSync(
      typed,
      'capabilities: [node-affinity, node-afinity]\ncustom: { sweep: { everySeconds: 60s } }\n',
    );
    const warnings = [
      'warning: capabilities: no function has the capability node-afinity; did you mean node-affinity?\n',
      'warning: sweep: custom.sweep.everySeconds: expected a number, found "60s"; 60 is used\n',
    ].join('');
    for (const verb of [
      ['render', '-t', 'kubernetes'],
      ['explain', '-f', '-', '--entry', '/mutate/pods'],
    ]) {
      const args = ['--config', typed, '--functions', own, ...verb];
      const pod = '{"kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[]}}';
      expect(await gatehouse(args, {}, pod)).toMatchObject({ err: warnings });
    }
  });

  it('checks that somebody has the capabilities, a user’s own function too', async () => {
    const [file, own] = [join(folder, 'capable.yaml'), join(folder, 'own')];
    mkdirSync(own);
    writeFileSync(join(own, 'forbid-latest.ts'), readmeExample());
    writeFileSync(file, 'capabilities: [image-trsut, my-team]\n');
    const says = (name: string, hint: string) =>
      `${file}: capabilities: no function has the capability ${name}; ${hint}`;
    const typed = says('image-trsut', 'did you mean image-trust?');
    expect(await gatehouse(['config', 'check', file, '--functions', own])).toEqual({
      exit: 0,
      out: `warning: ${typed}\n${file}: good\n`,
      err: '',
    });
    const { out } = await gatehouse(['config', 'check', file, '-o', 'json']);
    expect(JSON.parse(out)).toEqual({
      ...{ file, ok: true, problems: [] },
      warnings: [typed, says('my-team', 'is it a typing error?')],
    });
  });

  const bootDocument = JSON.stringify({ overrides: { 'a.example': 'b.example' } });
  const bootMap = (data: object) =>
    JSON.stringify({ kind: 'ConfigMap', metadata: { name: 'rt-bootstrapper-config' }, data });

  it.each([
    ['a document of pod bootstrap', bootDocument, 0, 'good, a document of pod bootstrap'],
    ['its doubts', bootDocument, 0, 'warning: $.availableFeatures is empty'],
    [
      'a ConfigMap with a good one',
      bootMap({ 'rt-bootstrapper-config.json': bootDocument }),
      0,
      'good, a document of pod bootstrap',
    ],
    [
      'a ConfigMap with a bad one',
      bootMap({ 'rt-bootstrapper-config.json': '{"overrides":[]}' }),
      1,
      '$.overrides: expected',
    ],
    ['a ConfigMap without one', bootMap({ a: '', b: '' }), 1, 'no key rt-bootstrapper-config.json'],
    [
      'a bad document',
      '{"overrides":{},"availableFeatures":["x"]}',
      1,
      'this is an unknown feature',
    ],
    [
      'another ConfigMap as no document',
      '{"kind":"ConfigMap","metadata":{"name":"x"},"data":{"y":"z"}}',
      1,
      'kind: expected one of capabilities',
    ],
  ])('checks %s offline', async (_, written, exit, expected) => {
    const file = join(folder, 'document');
    writeFileSync(file, written);
    const answer = await gatehouse(['config', 'check', file]);
    expect(answer).toMatchObject({ exit, err: '', out: expect.stringContaining(expected) });
    const { out } = await gatehouse(['config', 'check', file, '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({ file, ok: exit === 0 });
  });

  const mapNamed = (name: string, data: object, namespace?: string) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data },
  });
  const listOf = (...items: readonly object[]) => JSON.stringify({ kind: 'List', items });
  const usual = 'rt-bootstrapper-config';
  const goodData = { [`${usual}.json`]: bootDocument };
  const webhooks = `it has no key ${usual}.json, which holds the document`;

  it.each([
    ['its ConfigMap with another key', JSON.stringify(mapNamed(usual, { 'x.json': bootDocument }))],
    ['the same within a List', listOf(mapNamed(usual, { 'x.json': bootDocument }))],
  ])('refuses %s in the words of the webhook', async (_, written) => {
    const file = join(folder, 'document');
    writeFileSync(file, written);
    const { exit, out } = await gatehouse(['config', 'check', file]);
    expect([exit, out]).toEqual([1, `${file}: ${webhooks}\n`]);
  });

  it.each([
    [
      'a ConfigMap of another name',
      JSON.stringify(mapNamed('other', { 'x.json': bootDocument })),
      0,
      `it stands in ConfigMap other, under key x.json; the cluster reads ConfigMap kyma-system/${usual}, key ${usual}.json`,
    ],
    [
      'a ConfigMap of another namespace',
      JSON.stringify(mapNamed(usual, goodData, 'team-a')),
      0,
      `it stands in ConfigMap team-a/${usual}, under key ${usual}.json; the cluster reads`,
    ],
    [
      'what it has not looked at',
      listOf(
        { kind: 'Secret', metadata: { name: 's' } },
        mapNamed(usual, goodData),
        mapNamed('board', { 'dashboard.json': '{"panels":[]}' }),
      ),
      0,
      'warning: not looked at: Secret s, ConfigMap board',
    ],
    [
      'each document of a List',
      listOf(mapNamed('other', { 'x.json': '{"overrides":[]}' }), mapNamed(usual, goodData)),
      1,
      'ConfigMap other: $.overrides: expected',
    ],
    [
      'what is no text',
      JSON.stringify(mapNamed(usual, { [`${usual}.json`]: {} })),
      1,
      `$.data["${usual}.json"]: expected text`,
    ],
    [
      'keys in another case as the cluster does',
      '{"Overrides":{"a.example":"b.example"}}',
      0,
      'good, a document of pod bootstrap',
    ],
    [
      'a document of old keys',
      '{"imagePullSecretName":"x","imagePullSecretNamespace":"y"}',
      1,
      '$.overrides: expected an object',
    ],
  ])('says of %s', async (_, written, exit, expected) => {
    const file = join(folder, 'document');
    writeFileSync(file, written);
    const answer = await gatehouse(['config', 'check', file]);
    expect(answer).toMatchObject({ exit, err: '', out: expect.stringContaining(expected) });
  });

  it('goes by the ConfigMap that --config names', async () => {
    const [file, told] = [join(folder, 'document'), join(folder, 'told.yaml')];
    writeFileSync(told, 'podBootstrap: { configMap: { name: ours, key: boot } }\n');
    const check = async (map: object) => {
      writeFileSync(file, JSON.stringify(map));
      return gatehouse(['--config', told, 'config', 'check', file]);
    };
    const refused = await check(mapNamed('ours', { 'boot.json': bootDocument }));
    expect(refused).toMatchObject({ exit: 1, out: expect.stringContaining('it has no key boot,') });
    const found = await check(mapNamed('ours', { boot: bootDocument }));
    expect(found.exit).toBe(0);
    expect(found.out).not.toContain('the cluster reads');
    const other = await check(mapNamed(usual, goodData));
    expect(other.out).toContain('the cluster reads ConfigMap kyma-system/ours, key boot');
  });

  it('answers scripts', async () => {
    const { exit, out } = await gatehouse(['config', 'check', bad, '-o', 'json']);
    expect([exit, JSON.parse(out)]).toMatchObject([
      1,
      {
        file: bad,
        ok: false,
        problems: expect.arrayContaining([
          expect.objectContaining({
            path: 'nodeAffinity.pool',
            place: { line: 1, column: 17 },
            didYouMean: 'nodeAffinity.pools',
          }),
        ]),
      },
    ]);
  });

  it('shows the settings as they are served', async () => {
    const { out } = await gatehouse(['config', 'show', '--config', good, '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({
      nodeAffinity: { pools: ['blue'], weight: 10 },
      server: { port: 9443 },
    });
    expect((await gatehouse(['config', 'show'])).out).toContain('port: 9443\n');
  });

  it('shows nothing of a file that cannot be served, and says where and how to mend it', async () => {
    const { exit, out, err } = await gatehouse(['config', 'show', '--config', bad]);
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(`${bad}:1:17: nodeAffinity.pool`);
    expect(err).toContain('to mend it: gatehouse config check');
    expect(err).not.toContain('.ts:');
  });

  it('has a schema that stands in infra/config.schema.json as well', async () => {
    const { out } = await gatehouse(['config', 'schema']);
    // After a change: npm run --silent gatehouse -- config schema > infra/config.schema.json
    expect(readFileSync('infra/config.schema.json', 'utf8')).toBe(out);
  });

  it('has a schema of the ConfigMap’s document, which asks for what the document has to state', async () => {
    const { exit, out } = await gatehouse(['config', 'schema', '--document']);
    expect(exit).toBe(0);
    const schema = JSON.parse(out);
    const { clusterTrustBundle } = schema.properties;
    expect(Object.keys(schema.properties)).toEqual(Object.keys(documentShape));
    expect(Object.keys(clusterTrustBundle.properties)).toEqual(Object.keys(bundleShape));
    // Old documents have keys that nobody knows any more.
    const closed = [schema, clusterTrustBundle].filter((each) => 'additionalProperties' in each);
    expect(closed).toEqual([]);

    const values = { overrides: {}, volumeMountPath: '/some' };
    const whole = (required: readonly string[]) =>
      Object.fromEntries(required.map((key) => [key, 'some']));
    const document = (without = '') => {
      const { clusterTrustBundle: bundle, ...rest } = {
        ...whole(schema.required),
        clusterTrustBundle: { ...whole(clusterTrustBundle.required), ...values },
        ...values,
      };
      const all = { ...rest, clusterTrustBundle: { ...bundle, [without]: undefined } };
      return readDocument(JSON.stringify({ ...all, [without]: undefined })).ok;
    };
    expect(document()).toBe(true);
    const required = [...schema.required, ...clusterTrustBundle.required];
    expect(required).toHaveLength(5);
    expect(required.filter((key) => document(key))).toEqual([]);
  });

  it('describes every setting and says its default', () => {
    const schema = JSON.parse(configSchema());
    const keys = knownKeys(schema).filter((key) => !key.includes('atchLabels'));
    const at = (key: string) =>
      key.split('.').reduce((soFar, step) => soFar?.properties?.[step], schema);
    const silent = keys
      .filter((key) => !/namespaceSelector\./.test(key))
      // What stands in a list is there because somebody wrote it.
      .filter((key) => !key.includes('[]'))
      .filter((key) => at(key)?.description === undefined || at(key)?.default === undefined);
    expect(keys).toContain('nodeAffinity.pools');
    expect(silent).toEqual([]);
  });
});

/** The real thing, once for each promise that only a process can keep. */
describe('the process', { timeout: 20_000 }, () => {
  const start = (...argv: readonly string[]) => startOn([], argv);

  function startOn(options: readonly string[], argv: readonly string[]) {
    const child = spawn(process.execPath, [...options, 'infra/cli/main.ts', ...argv], {
      stdio: 'pipe',
      env: {},
    });
    return { child, err: text(child.stderr), end: once(child, 'exit') };
  }

  it('prints and exits as it was answered, without colours where there is no terminal', async () => {
    const { child, end } = start('config', 'check', 'package.json');
    const out = await text(child.stdout);
    expect(await end).toEqual([1, null]);
    expect(out).toContain('package.json:2:3: name');
    expect(out).toBe(stripVTControlCharacters(out));
  });

  it('complains without colours into a file, although it prints to a terminal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-colours-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const config = join(folder, 'gatehouse.yaml');
    writeFileSync(config, 'imageTrust: { logging: { format: text } }');
    const typed = `infra/cli/main.ts dev --config ${config} --state ${config} 2>${folder}/complaints`;
    const options = { stdio: 'ignore', env: { PATH: process.env['PATH'] } } as const;
    const child = spawn('script', ['-qec', `${process.execPath} ${typed}`, '/dev/null'], options);
    await once(child, 'close');
    const complaints = readFileSync(join(folder, 'complaints'), 'utf8');
    expect(complaints).toContain('some of the configuration is not used');
    expect(complaints).toBe(stripVTControlCharacters(complaints));
  });

  it.each([
    ['the list of verbs', ['--help'], /infra\/cli\/(serve|render|explain|config|load)/],
    ['one verb', ['config', 'schema'], /infra\/cli\/(serve|render|explain|load)/],
  ])('loads no other verb for %s', async (_, argv, others) => {
    const report = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, to, next) => (process.stderr.write(url + '\\n'), next(url, to)) });`;
    const hook = ['--import', `data:text/javascript,${encodeURIComponent(report)}`];
    const { child, err, end } = startOn(hook, argv);
    child.stdout.resume();
    expect(await end).toEqual([0, null]);
    expect(await err).toContain('/infra/cli/main.ts');
    expect(await err).not.toMatch(others);
  });

  it('ends quietly when its reader has read enough', async () => {
    const { child, err, end } = start('config', 'schema');
    child.stdout.destroy();
    await end;
    expect(await err).toBe('');
  });

  it.each<['stdout' | 'stderr', number, readonly string[]]>([
    ['stderr', 0, ['config', 'schema']],
    ['stdout', 1, ['config', 'check', 'nowhere.yaml']],
  ])(
    'exits as it was answered, though nobody has %s, where it says nothing',
    async (of, exit, argv) => {
      const { child, err, end } = start(...argv);
      // Its text ends with the stream.
      err.catch(() => undefined);
      child[of].destroy();
      child[of === 'stdout' ? 'stderr' : 'stdout'].resume();
      expect(await end).toEqual([exit, null]);
    },
  );

  it('ends with all of its answer, whatever still stands open', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-answer-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const config = join(folder, 'gatehouse.yaml');
    // An answer of more than a pipe holds.
    const names = Array.from({ length: 30_000 }, (_, at) => `a-team-with-a-long-name-${at}`);
    writeFileSync(config, `nodeAffinity: { excludedNamespaces: [${names}] }`);
    const open = `data:text/javascript,${encodeURIComponent('setInterval(() => {}, 1_000_000)')}`;
    const { child, end } = startOn(['--import', open], ['config', 'show', '--config', config]);
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(((await text(child.stdout)).match(/a-team/g) ?? []).length).toBe(names.length);
    expect(await end).toEqual([0, null]);
  });

  it('stops on Ctrl-C while it waits for its input', async () => {
    const { child, err, end } = start('explain', '-f', '-');
    // More than a pipe holds: once it is written, somebody is reading.
    const more = '#'.repeat(1024 * 1024);
    await new Promise((resolve) => child.stdin.write(more, resolve));
    child.kill('SIGINT');
    expect(await end).toEqual([null, 'SIGINT']);
    expect(await err).toBe('');
  });
});
