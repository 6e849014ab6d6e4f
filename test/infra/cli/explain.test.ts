import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import bootstrapPod from '#functions/pod-bootstrap/bootstrap-pod.ts';
import { hasFailed, toJson } from '#infra/cli/explain/report.ts';
import { type ExplainOptions, explain } from '#infra/cli/explain.ts';
import { painter, sayError } from '#infra/cli/output.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { type AdmissionFunction, defineAdmission } from '#shared/define.ts';
import { anything } from '#shared/domain/decode.ts';
import { allow, deny, patch, type Verdict } from '#shared/domain/verdict.ts';
import { openRegistry } from '#shared/runtime/registry.ts';
import addLandscape from '../../support/functions/add-landscape.ts';
import mirrorRegistry from '../../support/functions/mirror-registry.ts';
import stampImages from '../../support/functions/stamp-images.ts';

const samples = [addLandscape, mirrorRegistry, stampImages];

const pod = `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop }
spec:
  containers:
    - { name: app, image: registry.test/app:1 }
`;

const shop = `
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { stamped: 'yes' } }
`;

const sample = {
  capability: 'samples',
  phase: 'mutate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: anything,
  uses: ['nodes'],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
} as const;

describe('gatehouse explain', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-explain-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  type Given = {
    readonly input?: string;
    readonly options?: Partial<ExplainOptions>;
    readonly functions?: readonly unknown[];
    readonly enabled?: readonly string[];
  };

  /** The verb itself, on standard input, with what it printed. */
  async function run({ input = pod, options = {}, functions = samples, enabled = all }: Given) {
    const found = functions.map((exported) => {
      const file = `${(exported as AdmissionFunction).name}.ts`;
      return { file, exported, origin: 'built-in' } as const;
    });
    const registered = openRegistry(found);
    if (!registered.ok) throw new Error(registered.problems.map(({ why }) => why).join());

    const printed: string[] = [];
    const complaints: string[] = [];
    const explained = await explain(
      { filename: '-', output: 'text', ...options },
      {
        terminal: {
          print: (text) => printed.push(text),
          complain: (text) => complaints.push(text),
          read: async () => input,
          paint: painter(false),
        },
        load: async () => ({
          registry: registered.registry,
          settings: settingsFixed({ capabilities: [...enabled] }).current(),
        }),
      },
    );
    return { explained, text: printed.join(''), complaints: complaints.join('') };
  }

  const all = ['samples', 'pod-bootstrap', 'image-trust', 'odd'];

  const written = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  it('goes by a document of pod bootstrap from a file, and by none where there is no file', async () => {
    const document = {
      overrides: { 'registry.test': 'mirror.test' },
      availableFeatures: ['rt-cfg.kyma-project.io/alter-img-registry'],
    };
    const bootstrapDocument = written('document.json', JSON.stringify(document));
    const functions = [bootstrapPod];
    const { text, explained } = await run({ functions, options: { bootstrapDocument } });
    expect(text).toContain('+ bootstrap-pod ran and makes 2 changes');
    expect(text).toContain('"mirror.test/app:1"');
    expect(explained.some(hasFailed)).toBe(false);

    expect((await run({ functions })).text).not.toContain('mirror.test');
    await expect(
      run({ functions, options: { bootstrapDocument: written('bad.json', '{"overrides":[]}') } }),
    ).rejects.toThrow('no document of pod bootstrap that can be used');
  });

  it('says which function ran, what it changed and why, and what comes of it', async () => {
    const { text } = await run({ options: { namespaceFile: written('shop.yaml', shop) } });
    expect(text.split('\n').filter((line) => !line.startsWith('  note'))).toEqual([
      'Pod web, created in namespace shop, at /mutate/pods',
      '+ mirror-registry ran and makes 1 change',
      '    replace /spec/containers/0/image "mirror.test/app:1"',
      '        mirrored',
      '+ stamp-images ran and makes 1 change',
      '    add /metadata/annotations {"sample.gatehouse.io/images":"mirror.test/app:1"}',
      '        the images that were seen',
      '+ add-landscape ran and makes 1 change',
      '    add /spec/containers/0/env [{"name":"LANDSCAPE","value":"test"}]',
      '        the landscape was not said',
      '',
      'admitted with 3 changes',
      '',
      '--- as it came',
      '+++ as it is admitted',
      '@@ -3,7 +3,12 @@',
      ' metadata:',
      '   name: web',
      '   namespace: shop',
      '+  annotations:',
      '+    sample.gatehouse.io/images: mirror.test/app:1',
      ' spec:',
      '   containers:',
      '     - name: app',
      '-      image: registry.test/app:1',
      '+      image: mirror.test/app:1',
      '+      env:',
      '+        - name: LANDSCAPE',
      '+          value: test',
      '',
    ]);
  });

  it.each([
    [
      'its namespace is not selected',
      pod,
      all,
      'stamp-images was left out: namespace shop is not selected by its labels',
    ],
    [
      'its condition does not hold',
      pod.replace('name: web', 'name: web, labels: { no-landscape: x }'),
      all,
      'add-landscape was left out: its condition not-opted-out does not hold',
    ],
    [
      'its capability is off',
      pod,
      ['pod-bootstrap'],
      'add-landscape was not asked: the capability samples is not switched on',
    ],
  ])('says that a function did not run when %s', async (_, input, enabled, expected) => {
    const { text } = await run({ input, enabled });
    expect(text).toContain(`- ${expected}`);
  });

  it('says what it assumed, and takes a pod without a namespace for the one described', async () => {
    const functions = [
      ...samples,
      defineAdmission({ ...sample, name: 'odd', handler: () => allow() }),
    ];
    const blind = await run({ functions });
    expect(blind.text).toContain('namespace shop is known by its name alone');
    expect(blind.text).toContain('every node that a function asks for is taken to be there');

    expect((await run({})).text).not.toContain('every node');

    const homeless = pod.replace(', namespace: shop', '');
    const namespaceFile = written('shop.yaml', shop);
    const told = await run({ input: homeless, options: { namespaceFile } });
    expect(told.text).toContain('Pod web, created in namespace shop');
    expect(told.text).not.toContain('known by its name alone');
    expect((await run({ input: homeless })).text).toContain('created in namespace default');
  });

  it('asks the nodes of the file, or takes them to be there', async () => {
    const listsNodes = defineAdmission({
      ...sample,
      name: 'lists-nodes',
      handler: async (_, { nodes }) =>
        allow(...(await nodes.list({ matchLabels: { pool: 'a' } })).map(({ name }) => name)),
    });
    const nodesFile = written(
      'nodes.yaml',
      ['a', 'b']
        .map((name) => `{ kind: Node, metadata: { name: ${name}, labels: { pool: ${name} } } }\n`)
        .join('---\n'),
    );
    const warnings = async (options: Partial<ExplainOptions>) =>
      (await run({ functions: [listsNodes], options })).explained[0]?.trial.verdict.warnings;

    expect(await warnings({ nodesFile })).toEqual(['a']);
    expect(await warnings({})).toEqual(['assumed']);
  });

  it.each([
    ['a Deployment', 'kind: Deployment', 'spec: { template: TEMPLATE }'],
    ['a CronJob', 'kind: CronJob', 'spec: { jobTemplate: { spec: { template: TEMPLATE } } }'],
  ])('makes a pod of %s as its controller would', async (_, kind, spec) => {
    const template = '{ metadata: { labels: { a: b } }, spec: { containers: [{ name: c }] } }';
    const input = `${kind}\nmetadata: { name: web, namespace: shop }\n${spec.replace('TEMPLATE', template)}`;
    const { explained } = await run({ input, enabled: ['pod-bootstrap'] });
    expect(explained[0]).toMatchObject({
      namespace: 'shop',
      trial: {
        object: {
          kind: 'Pod',
          metadata: { labels: { a: 'b' }, generateName: 'web-' },
          spec: { containers: [{ name: 'c' }] },
        },
      },
    });
  });

  it('explains each of several documents and of a List, and passes over what makes no pod', async () => {
    const named = (name: string) => pod.replace('name: web', `name: ${name}`);
    const input = [
      named('one'),
      '{ kind: Service, metadata: { name: s } }',
      JSON.stringify({ kind: 'PodList', items: [{ kind: 'Pod', metadata: { name: 'two' } }] }),
    ].join('\n---\n');
    const { explained, complaints } = await run({ input });
    expect(explained.map(({ subject }) => subject.title)).toEqual(['Pod one', 'Pod two']);
    expect(complaints).toBe('passed over: Service makes no pods\n');
  });

  it.each([
    ['an answer of no', () => deny('not here'), 'denied: not here'],
    [
      'a function that throws',
      () => {
        throw new Error('the answer to life is missing');
      },
      '! odd failed: it failed\n    because: the answer to life is missing',
    ],
    ['a warning', () => allow('think again'), 'admitted with no changes\nwarning: think again'],
    [
      'a change without effect',
      () => patch([{ op: 'replace', path: '/kind', value: 'Pod', why: 'to be sure' }]),
      '+ odd ran and changes nothing',
    ],
  ])('shows %s', async (_, handler, expected) => {
    const odd = defineAdmission({ ...sample, name: 'odd', handler });
    expect((await run({ functions: [odd] })).text).toContain(expected);
  });

  it('fails where something is denied or fails, and only there', async () => {
    const failing = async (handler: () => Verdict) => {
      const odd = defineAdmission({ ...sample, name: 'odd', handler });
      return (await run({ functions: [odd] })).explained.some(hasFailed);
    };
    expect(await failing(() => deny('no'))).toBe(true);
    expect(await failing(() => JSON.parse('{'))).toBe(true);
    expect(await failing(() => allow('careful'))).toBe(false);
  });

  it('asks one function at its own path, and things that are no pods where it is for those', async () => {
    const onServices = defineAdmission({
      ...sample,
      name: 'guard-services',
      phase: 'validate',
      trigger: { resources: ['services'], operations: ['CREATE'] },
      handler: () => deny('no services today'),
    });
    const { text } = await run({
      functions: [...samples, onServices],
      input: '{ apiVersion: v1, kind: Service, metadata: { name: s } }',
      options: { entry: '/validate/guard-services' },
    });
    expect(text).toContain('denied: no services today');
    expect(text).toContain('- mirror-registry was not asked: it answers for itself at /mutate/');
  });

  it('goes the whole way of a pod: whoever has the last word sees what was changed, and denies it', async () => {
    const seen: unknown[] = [];
    const guard = (name: string, verdict: Verdict) =>
      defineAdmission({
        ...sample,
        name,
        phase: 'validate',
        handler: ({ object }) => {
          seen.push(object);
          return verdict;
        },
      });
    const functions = [
      ...samples,
      guard('guard-one', deny('no', 'never')),
      guard('guard-two', allow('oh')),
    ];
    const { text, explained } = await run({ functions });
    expect(text).toContain('at /mutate/pods, then /validate/guard-one, then /validate/guard-two');
    expect(text).toContain('! guard-one ran and denies it');
    expect(text).toContain('denied: no\n    never\nwarning: oh');
    const mirrored = { spec: { containers: [{ image: 'mirror.test/app:1' }] } };
    expect(seen).toMatchObject([mirrored, mirrored]);
    expect(explained.some(hasFailed)).toBe(true);
  });

  it('asks a function that stands alone, where nothing changes pods', async () => {
    const guard = defineAdmission({
      ...sample,
      name: 'guard-pods',
      phase: 'validate',
      handler: () => deny('no'),
    });
    expect((await run({ functions: [guard] })).text).toContain('denied: no');
  });

  it('says of what is refused that it is not admitted so', async () => {
    const guard = defineAdmission({
      ...sample,
      phase: 'validate',
      name: 'odd',
      handler: () => deny('no'),
    });
    const { text } = await run({ functions: [...samples, guard] });
    expect(text).toContain('+++ as it is refused');
    expect(text).not.toContain('as it is admitted');
  });

  it('names the path at which something else than a pod is asked about, and asks of a namespace itself', async () => {
    const remark = defineAdmission({
      ...sample,
      name: 'remark',
      phase: 'validate',
      uses: [],
      trigger: { resources: ['namespaces'], operations: ['CREATE'] },
      handler: ({ namespace }) => allow(`of ${namespace}`),
    });
    const functions = [...samples, remark];
    const error: unknown = await run({ functions, input: shop }).catch((cause: unknown) => cause);
    const entry = '/validate/remark';
    expect(sayError(error, { debug: false })).toContain(`for what stands there, --entry ${entry}`);
    const { text } = await run({ functions, input: shop, options: { entry } });
    expect(text).toContain('Namespace shop, created, at /validate/remark');
    expect(text).toContain('warning: of shop');
    expect(text).not.toContain('note:');
  });

  it('answers scripts with all of it', async () => {
    const { explained, text } = await run({ options: { output: 'json' } });
    const answer = JSON.parse(text);
    expect(answer).toEqual(JSON.parse(JSON.stringify(explained.map(toJson))));
    expect(answer).toMatchObject([
      {
        subject: 'Pod web',
        namespace: 'shop',
        entry: '/mutate/pods',
        admitted: true,
        functions: [
          {
            function: 'mirror-registry',
            outcome: 'patch',
            changes: [{ op: 'replace', path: '/spec/containers/0/image', why: 'mirrored' }],
          },
          { function: 'stamp-images', outcome: 'left-out' },
          { function: 'add-landscape', outcome: 'patch' },
        ],
        object: { spec: { containers: [{ image: 'mirror.test/app:1' }] } },
      },
    ]);
  });

  it('is coloured only where colours are wanted, and says the same', async () => {
    const paint = painter(true);
    expect(paint('red', 'no')).not.toBe('no');
    expect(stripVTControlCharacters(paint('red', 'no'))).toBe('no');
    expect(painter(false)('red', 'no')).toBe('no');
  });

  it.each([
    ['a file that is not there', { filename: '/nowhere.yaml' }, pod, 'cannot read /nowhere.yaml'],
    ['no YAML', {}, 'a: b\n- c', 'this is no YAML'],
    ['nothing that makes a pod', {}, 'kind: Service', 'there is no pod in standard input'],
    ['a path where nothing answers', { entry: '/mutate/x' }, pod, 'nothing answers at /mutate/x'],
  ])('says what is wrong and how to mend it, given %s', async (_, options, input, expected) => {
    const error: unknown = await run({ input, options }).catch((cause: unknown) => cause);
    const said = sayError(error, { debug: false });
    expect(said).toContain(`gatehouse: ${expected}`);
    expect(said).not.toContain('.ts:');
  });

  it('names the line of broken YAML', async () => {
    const error: unknown = await run({ input: 'a: b\n- c' }).catch((cause: unknown) => cause);
    expect(sayError(error, { debug: false })).toContain('where: -:2:1');
    expect(sayError(error, { debug: true })).toContain('manifests.ts:');
  });
});
