import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openErrorWords } from '#infra/cli/dev/error-words.ts';
import { openLines } from '#infra/cli/dev/lines.ts';
import { painter } from '#infra/cli/output.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ours = join(import.meta.dirname, '../../../..');
const project = realpathSync(temporaryFolder('project-'));
mkdirSync(join(project, 'functions'));
const folders = { builtIn: [join(ours, 'functions')], own: join(project, 'functions') };

function failed(...calls: readonly string[]): Error {
  const error = new TypeError('name\u001b[2J is undefined');
  error.stack = [`TypeError: ${error.message}`, ...calls.map((call) => `    at ${call}`)].join(
    '\n',
  );
  return error;
}

const runtime = `async runOnce (file://${ours}/shared/runtime/reconcile.ts:99:19)`;

it.each([
  [
    'its own file',
    [`handler (file://${project}/functions/greet.ts?gatehouse=2:7:3)`],
    'functions/greet.ts:7',
  ],
  [
    'a file beside its folder',
    [`file://${project}/lib/word.ts:3:1`, `handler (file://${project}/functions/greet.ts:7:3)`],
    'lib/word.ts:3',
  ],
  [
    'the call into a package, or into what is ours',
    [
      'Object.parse (node:internal/url:7:1)',
      `decode (file://${ours}/shared/domain/decode.ts:3:1)`,
      `read (${project}/node_modules/words/index.js:2:1)`,
      `handler (file://${project}/functions/greet.ts:9:3)`,
    ],
    'functions/greet.ts:9',
  ],
])('an error is told in its words and with the line of %s', (_, calls, place) => {
  const words = openErrorWords({ folders })(failed(...calls, runtime));
  expect(words).toBe(`TypeError: name is undefined  at ${project}/${place}`);
});

it('an error of a function of the repository has the line there', () => {
  const call = `handler (file://${ours}/functions/node-affinity/prefer-pool.ts:40:3)`;
  expect(openErrorWords({ folders })(failed(call, runtime))).toMatch(
    /undefined {2}at functions\/node-affinity\/prefer-pool\.ts:40$/,
  );
});

it('an error that no function made has no line, but what it comes from', () => {
  const error = new Error('no list', { cause: new Error('no such host') });
  error.stack = `Error: no list\n    at ${runtime}`;
  expect(openErrorWords({ folders })(error)).toBe('no list, because no such host');
});

it('an error has its stack by --debug, and as JSON always', () => {
  const calls = [`handler (file://${project}/functions/greet.ts:7:3)`, runtime];
  const words = openErrorWords({ debug: true, folders })(failed(...calls));
  expect(words.split('\n    ')).toEqual([
    expect.stringContaining('greet.ts:7'),
    ...calls.map((call) => `at ${call}`),
  ]);
  expect(told({ json: false })).not.toContain('reconcile.ts');
  expect(told({ json: false })).toMatch(
    /^a run failed: function=greet {2}TypeError: .*greet\.ts:7\n$/,
  );
  expect(told({ json: true })).toContain('reconcile.ts:99');

  function told({ json }: { readonly json: boolean }): string {
    let said = '';
    const write = (text: string) => {
      said += text;
    };
    const terminal = { print: write, complain: write, read: async () => '', paint: painter(false) };
    const { log } = openLines({ quiet: false, json }, terminal);
    log.error({ function: 'greet', err: failed(...calls) }, 'a run failed');
    return said;
  }
});
