import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Folders } from '#infra/emulator/dev/functions-in-work.ts';
import { repositoryCopy } from '../../../support/repository-copy.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const directory = temporaryFolder('in-work-');

type Told = { readonly kind: string; readonly said: string; readonly files?: readonly string[] };

/** A function that says what it is given by the file that it imports. */
const greeting = (imported: string, mark = '') => `
import { defineReconcile } from 'gatehouse/define';
import word from '${imported}'${imported.endsWith('.json') ? " with { type: 'json' }" : ''};
export default defineReconcile({
  name: 'greet',
  capability: 'greetings',
  trigger: { everySeconds: 60 },
  uses: [],
  deadlineMs: 100,
  handler: async () => ({ kind: 'give-up', why: '${mark}' + word }),
});
`;

const following = 'test/infra/emulator/dev/functions-in-work/following.ts';

/** These files, with the function in a folder beside the others. */
function followed(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(directory, 'root-'));
  const program = join(import.meta.dirname, 'functions-in-work/following.ts');
  return followedIn(root, { program, builtIn: [], own: join(root, 'functions') }, files);
}

/** Within the repository. */
function followedThere(files: Readonly<Record<string, string>>) {
  const root = repositoryCopy(following);
  const builtIn = ['functions', 'shared/domain'].map((folder) => join(root, folder));
  return followedIn(root, { program: join(root, following), builtIn }, files);
}

type Followed = Partial<Folders> & { readonly program: string };

async function followedIn(
  root: string,
  { program, ...folders }: Followed,
  files: Readonly<Record<string, string>>,
) {
  const write = (name: string, text: string) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    return path;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const child = fork(program, [JSON.stringify(folders)], { execArgv: [], silent: true });
  let warnings = '';
  child.stderr?.on('data', (data) => {
    warnings += data;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then((): never => {
    throw new Error(`it has ended: ${warnings}`);
  });
  ended.catch(() => {});
  const next = async (): Promise<Told> => (await Promise.race([once(child, 'message'), ended]))[0];
  /** What is told of the save. */
  const saved = async (name: string, text: string) => {
    const told = next();
    write(name, text);
    return told;
  };
  return { root, saved, next, warned: () => warnings, begun: await next() };
}

it.each([
  ['a module', '../lib/word.ts', (word: string) => `export default '${word}';`],
  ['a module of CommonJS', '../lib/word.cjs', (word: string) => `module.exports = '${word}';`],
  ['JSON', '../lib/word.json', (word: string) => `"${word}"`],
  ['JSON of its folder', './word.json', (word: string) => `"${word}"`],
])('what a function imports is in work: %s', async (_, imported, text) => {
  const lib = join('functions', imported);
  const { root, saved, begun } = await followed({
    'functions/greet.ts': greeting(imported),
    [lib]: text('one'),
  });
  expect(begun.said).toBe('one');
  for (const word of ['two', 'three']) {
    const told = await saved(lib, text(word));
    expect(told).toEqual({
      ...{ kind: 'reloaded', said: word },
      ...{ files: [join(root, lib)], functions: ['greet'], ms: expect.any(Number) },
    });
  }
  expect(await saved('functions/greet.ts', greeting(imported, 'still '))).toMatchObject({
    said: 'still three',
  });
});

it('what is imported by what a function imports is in work, wherever it lies', async () => {
  const { saved } = await followed({
    'functions/greet.ts': greeting('../lib/word.ts'),
    'lib/word.ts': "export { word as default } from '../words/deep/word.ts';",
    'words/deep/word.ts': "export const word = 'one';",
    'words/deep/other.ts': '',
  });
  expect(await saved('words/deep/word.ts', "export const word = 'two';")).toMatchObject({
    said: 'two',
  });
});

it.each([
  ['calls itself CommonJS, as npm init has it', '{ "type": "commonjs" }'],
  ['says nothing', '{}'],
])('a folder is read again whose package.json %s', async (_, stated) => {
  const { root, saved, warned } = await followed({
    'package.json': stated,
    'functions/greet.ts': greeting('../lib/word.ts'),
    'lib/word.ts': "export default 'one';",
  });
  expect(await saved('lib/word.ts', "export default 'two';")).toMatchObject({ said: 'two' });
  expect(await saved('functions/greet.ts', greeting('../lib/word.ts', 'still '))).toMatchObject({
    ...{ files: [join(root, 'functions/greet.ts')], said: 'still two' },
  });
  expect(warned()).toBe('');
});

it('what a function imports only later is in work from then on', async () => {
  const { saved } = await followed({
    'functions/greet.ts': greeting('../lib/word.ts'),
    'lib/word.ts': "export default 'one';",
    'more/word.ts': "export default 'two';",
  });
  await saved('functions/greet.ts', greeting('../more/word.ts'));
  expect(await saved('more/word.ts', "export default 'three';")).toMatchObject({ said: 'three' });
});

it('what a function imports may come after it, be broken, go, and come again', async () => {
  const { root, saved, next } = await followed({
    'functions/greet.ts': greeting('../lib/word.ts'),
    'lib/word.ts': "export default 'one';",
  });
  const missing = await saved('functions/greet.ts', greeting('../lib/new/word.ts'));
  expect(missing).toMatchObject({ kind: 'kept', said: 'one' });
  const came = next();
  mkdirSync(join(root, 'lib/new'));
  writeFileSync(join(root, 'lib/new/word.ts'), "export default 'two';");
  expect(await came).toMatchObject({ kind: 'reloaded', said: 'two' });
  expect(await saved('lib/new/word.ts', 'export default {{')).toMatchObject({
    ...{ kind: 'kept', said: 'two' },
    problems: [{ why: expect.stringMatching(/Expected|expected|Unexpected/) }],
  });
  const gone = next();
  rmSync(join(root, 'lib/new'), { recursive: true });
  expect(await gone).toMatchObject({ kind: 'kept', said: 'two' });
  expect(await saved('lib/new/word.ts', "export default 'four';")).toMatchObject({ said: 'four' });
});

it('what lies beside what a function imports, or in a package, is in nobody’s work', async () => {
  const { root, saved, next } = await followed({
    'functions/greet.ts': greeting('../lib/word.ts'),
    'lib/word.ts': "export { default } from 'words';",
    'node_modules/words/package.json': '{ "type": "module", "exports": "./word.js" }',
    'node_modules/words/word.js': "export default 'one';",
  });
  const told = next();
  for (const name of ['lib/other.ts', 'node_modules/words/word.js'])
    writeFileSync(join(root, name), "export default 'two';");
  await Promise.all([told, saved('functions/greet.ts', greeting('../lib/word.ts', 'still '))]);
  expect(await told).toMatchObject({
    files: [join(root, 'functions/greet.ts')],
    said: 'still one',
  });
});

/** Of the project's own, which need no names that are served to others. */
const ofOurs = (why: string) => `
import { defineReconcile } from '#shared/define.ts';
import { word } from '#shared/domain/greetings/word.ts';
export default defineReconcile({
  name: 'greet',
  capability: 'greetings',
  trigger: { everySeconds: 60 },
  uses: [],
  deadlineMs: 100,
  handler: async () => ({ kind: 'give-up', why: ${why} + word }),
});
`;
const word = "export const word: string = 'one';";
const [greet, words] = ['functions/greetings/greet.ts', 'shared/domain/greetings/word.ts'];

it('a function of the repository that cannot be read is told with its line', async () => {
  const { root, saved } = await followedThere({ [greet]: ofOurs("''"), [words]: word });
  expect(await saved(greet, ofOurs("'' + ;"))).toMatchObject({
    ...{ kind: 'kept', said: 'one' },
    problems: [
      { file: greet, why: 'line 10: Expression expected', mend: expect.stringMatching(/syntax/) },
    ],
  });
  expect(await saved(greet, ofOurs("'still '"))).toMatchObject({ said: 'still one' });
  expect(await saved(words, `${word}\nexport const other = ;`)).toMatchObject({
    ...{ kind: 'kept', said: 'still one' },
    problems: [{ file: join(root, words), why: 'line 2: Expression expected' }],
  });
  expect(await saved(words, word.replace('one', 'two'))).toMatchObject({ said: 'still two' });
});

it('a function that is made in the repository is there from its first save', async () => {
  const { saved, begun } = await followedThere({ [words]: word });
  expect(begun.said).toBeUndefined();
  expect(await saved(greet, ofOurs("''"))).toMatchObject({ kind: 'reloaded', said: 'one' });
});

it('a function of the repository in another folder than its capability’s is told where it belongs', async () => {
  const { saved } = await followedThere({ [words]: word });
  for (const file of ['functions/greet.ts', 'functions/node-affinity/greet.ts']) {
    expect(await saved(file, ofOurs("''"))).toMatchObject({
      kind: 'kept',
      problems: expect.arrayContaining([
        expect.objectContaining({
          file,
          why: 'it is of the capability greetings, whose folder is functions/greetings',
        }),
      ]),
    });
  }
});
