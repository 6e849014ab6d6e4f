import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import {
  badNames,
  barrels,
  clocksAndDice,
  environmentReads,
  mockedModules,
  repeatedTitles,
  switchedTests,
  unnamedFunctions,
} from './architecture/habits.ts';
import {
  importsInWrongStyle,
  importsOutOfPlace,
  packagesIn,
  packagesWithTwoHomes,
} from './architecture/rooms.ts';
import { sourceOf } from './architecture/source.ts';

const rules = {
  importsOutOfPlace,
  importsInWrongStyle,
  badNames,
  barrels,
  environmentReads,
  clocksAndDice,
  mockedModules,
  switchedTests,
  repeatedTitles,
  unnamedFunctions,
} as const;

const sources = globSync('{functions,shared,events,infra,test}/**/*.ts', {
  exclude: ['test/fixtures/**', 'test/real/kube/**'],
})
  .toSorted()
  .map((path) => sourceOf(path, readFileSync(path, 'utf8')));

const installed = Object.keys({
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
});

/** A row of a table that begins with the name. */
function undocumented(packages: readonly string[], page: string): readonly string[] {
  return packages.filter((name) => !page.includes(`\n| \`${name}\` |`));
}

describe('the house', () => {
  it.each(Object.entries(rules))('holds %s to account', (_, rule) => {
    const broken = sources.flatMap((source) =>
      rule(source).map((what) => `${source.path}: ${what}`),
    );
    expect(broken).toEqual([]);
  });

  it('gives each package of the product one home', () => {
    expect(packagesWithTwoHomes(sources)).toEqual([]);
  });

  it('uses no package that package.json does not name', () => {
    const strangers = sources
      .flatMap(packagesIn)
      .filter(({ name }) => !installed.includes(name) && !installed.includes(`@types/${name}`));
    expect(strangers).toEqual([]);
  });

  it('has a line for every dependency on the page of decisions', () => {
    expect(undocumented(installed, readFileSync('infra/decisions.md', 'utf8'))).toEqual([]);
  });
});

/** Samples that each rule must refuse: a rule that cannot fail holds nothing. */
describe('the rules', () => {
  const inFunction = 'functions/policies/forbid-latest.ts';
  const defined = "export default defineAdmission({ name: 'forbid-latest' });";

  it.each([
    ['domain', 'runtime', 'shared/domain/a.ts', '#shared/runtime/b.ts'],
    ['domain', 'the ports', 'shared/domain/a.ts', '#shared/ports.ts'],
    ['domain', 'a builtin', 'shared/domain/a.ts', 'node:crypto'],
    ['domain', 'a package', 'shared/domain/a.ts', 'yaml'],
    ['domain', 'zod past its face', 'shared/domain/a.ts', 'zod/mini'],
    ["a capability's words", "another's", 'shared/domain/policies/a.ts', '../scanning/b.ts'],
    ['define', 'an adapter', 'shared/define.ts', './adapters/cluster.ts'],
    ['define', 'more than types', 'shared/define.ts', './ports.ts'],
    ['the ports', 'more than types', 'shared/ports.ts', './domain/a.ts'],
    ['the ports', 'define', 'shared/ports.ts', './define.ts'],
    ['a function', 'its neighbour', inFunction, './require-digest.ts'],
    ['a function', 'the ports', inFunction, '#shared/ports.ts'],
    ['a function', 'other events than the kinds', inFunction, '#events/queue.ts'],
    ['a function', 'an adapter', inFunction, '#shared/adapters/cluster.ts'],
    ['a function', 'a builtin', inFunction, 'node:fs'],
    ['a function', 'a builtin by its old name', inFunction, 'fs'],
    ['a function', 'a package', inFunction, 'yaml'],
    ['a function that is no endpoint', 'hono', inFunction, 'hono'],
    ['a function', 'what its tests are written against', inFunction, 'gatehouse/testing'],
    ['the kinds', 'a package', 'events/kinds.ts', 'postgres'],
    ['events', 'runtime', 'events/queue.ts', '#shared/runtime/a.ts'],
    ['events', 'a function', 'events/queue.ts', '#functions/policies/a.ts'],
    ['events', 'a package out of its folder', 'events/sqs-queue/a.ts', 'postgres'],
    ['an adapter', 'another adapter', 'shared/adapters/cluster/a.ts', '../database/b.ts'],
    ['what lies beside them', 'an adapter', 'shared/adapters/a.ts', './database/b.ts'],
    ['an adapter', 'define', 'shared/adapters/cluster/a.ts', '#shared/define.ts'],
    ['an adapter', 'runtime', 'shared/adapters/cluster/a.ts', '#shared/runtime/config.ts'],
    ['runtime', 'a function', 'shared/runtime/a.ts', '#functions/policies/a.ts'],
    ['runtime', 'infra', 'shared/runtime/a.ts', '#infra/build.ts'],
    ['runtime', 'a test', 'shared/runtime/a.ts', '#test/support/a.ts'],
    ['shared', 'a room that is none', 'shared/domain/a.ts', '#shared/elsewhere/b.ts'],
    ['a file in no room', 'anything', 'shared/elsewhere/a.ts', '#shared/domain/b.ts'],
  ])('refuse that %s imports %s', (_, __, path, from) => {
    const source = sourceOf(path, `import { a } from '${from}';`);
    expect(importsOutOfPlace(source)).toHaveLength(1);
  });

  it.each([
    ['of a type', "import type { A } from '#shared/runtime/b.ts';"],
    ['of types by name', "import { type A } from '#shared/runtime/b.ts';"],
    ['inside of a type', "type A = import('#shared/runtime/b.ts').A;"],
    ['while running', "const a = await import('#shared/runtime/b.ts');"],
    ['for what it hands on', "export { a } from '#shared/runtime/b.ts';"],
    ['for its effect', "import '#shared/runtime/b.ts';"],
  ])('see an import %s', (_, text) => {
    expect(importsOutOfPlace(sourceOf('shared/domain/a.ts', text))).toHaveLength(1);
  });

  it.each([
    ['a type for define', 'shared/define.ts', "import { type A } from './ports.ts';"],
    ['zod behind its face', 'shared/domain/decode.ts', "import * as z from 'zod/mini';"],
    [
      "the capabilities' words for the settings",
      'shared/domain/settings.ts',
      "import { a } from './policies/settings.ts';",
    ],
    ['the shared words for a capability', 'shared/domain/policies/a.ts', "import '../json.ts';"],
    [
      'hono for an endpoint',
      inFunction,
      "import { Hono } from 'hono'; export default defineEndpoint({});",
    ],
    ['what others write against, too', inFunction, "import 'gatehouse/define';"],
    ['its own parts for an adapter', 'shared/adapters/cluster/a.ts', "import './b.ts';"],
    ['what lies beside the adapters', 'shared/adapters/cluster/a.ts', "import '../b.ts';"],
    ['what only looks like an import', inFunction, "const a = `import 'yaml'`; // import 'fs'"],
  ])('allow %s', (_, path, text) => {
    expect(importsOutOfPlace(sourceOf(path, text))).toEqual([]);
  });

  it.each([
    ['without an ending', 'events/a.ts', './b'],
    ['with a false ending', 'events/a.ts', './b.js'],
    ['that climbs out of its room', 'shared/runtime/a.ts', '../domain/b.ts'],
    ['that climbs out of the tree', 'infra/a.ts', '../shared/define.ts'],
    ['that names its own room', 'shared/runtime/a.ts', '#shared/runtime/b.ts'],
    ['that names its own folder', 'infra/cli/a.ts', '#infra/cli/b.ts'],
  ])('refuse an import %s', (_, path, from) => {
    expect(importsInWrongStyle(sourceOf(path, `import '${from}';`))).toHaveLength(1);
  });

  it.each<[keyof typeof rules, string, string]>([
    ['badNames', 'shared/runtime/utils.ts', ''],
    ['badNames', 'shared/lib/clock.ts', ''],
    ['badNames', 'infra/deploy/index.ts', ''],
    ['badNames', 'test/support/helpers.test.ts', ''],
    ['badNames', 'shared/runtime/webHook.ts', ''],
    ['barrels', 'shared/runtime/a.ts', "export * from './b.ts'; export const a = 1;"],
    ['barrels', 'shared/runtime/a.ts', "export { a } from './b.ts'; export { c } from './d.ts';"],
    ['environmentReads', 'infra/cli/a.ts', 'const home = process.env.HOME;'],
    ['environmentReads', 'infra/cli/a.ts', "const home = process['env'].HOME;"],
    ['environmentReads', 'shared/runtime/a.ts', 'const { env } = process;'],
    ['environmentReads', 'shared/runtime/a.ts', 'globalThis.process.env;'],
    ['environmentReads', 'shared/runtime/a.ts', "import { env } from 'node:process';"],
    ['clocksAndDice', 'shared/domain/a.ts', 'const now = new Date();'],
    ['clocksAndDice', 'shared/define.ts', 'const now = Date();'],
    ['clocksAndDice', 'events/kinds.ts', 'const now = Date.now();'],
    ['clocksAndDice', 'events/queue.ts', 'const clock = { now: Date.now };'],
    ['clocksAndDice', inFunction, 'const die = Math.random();'],
    ['mockedModules', 'test/a.test.ts', "vi.mock('#shared/runtime/a.ts');"],
    ['mockedModules', 'test/a.test.ts', "vi.doMock('#shared/runtime/a.ts');"],
    ['switchedTests', 'test/a.test.ts', "it.skip('a', () => {});"],
    ['switchedTests', 'test/a.test.ts', "describe.only('a', () => {});"],
    ['switchedTests', 'test/a.test.ts', "it.skipIf(isSlow)('a', () => {});"],
    ['switchedTests', 'test/a.test.ts', "it.each([1]).skip('a', () => {});"],
    ['switchedTests', 'test/a.test.ts', "it.skip.each([1])('a', () => {});"],
    ['switchedTests', 'test/a.test.ts', "it.todo('a');"],
    ['repeatedTitles', 'test/a.test.ts', "it('a', () => {}); it.each([1])(`a`, () => {});"],
    ['unnamedFunctions', inFunction, 'export const a = 1;'],
    ['unnamedFunctions', inFunction, 'export default { name: "forbid-latest" };'],
    ['unnamedFunctions', inFunction, "export default defineAdmission({ name: 'other' });"],
    ['unnamedFunctions', inFunction, 'export default defineAdmission({ name });'],
  ])('%s refuses %s: %s', (rule, path, text) => {
    expect(rules[rule](sourceOf(path, text))).toHaveLength(1);
  });

  it.each<[keyof typeof rules, string, string]>([
    ['badNames', 'test/shared/domain/json-patch.test.ts', ''],
    ['barrels', 'infra/authoring/define.ts', "export { a } from '#shared/define.ts';"],
    ['barrels', 'shared/runtime/a.ts', "export type { A } from './b.ts'; export const a = 1;"],
    ['environmentReads', 'shared/runtime/config.ts', 'process.env;'],
    ['environmentReads', 'test/bench/run.ts', 'process.env;'],
    ['environmentReads', 'infra/cli/a.ts', 'process.argv; const a = { process: 1, env: 2 };'],
    ['environmentReads', 'infra/cli/a.ts', 'function a(process: Own) { return process.env; }'],
    ['environmentReads', 'infra/cli/a.ts', 'const process = own; const { env } = process;'],
    ['clocksAndDice', 'shared/runtime/a.ts', 'new Date(); Date.now();'],
    ['clocksAndDice', 'shared/domain/a.ts', 'new Date(0); Date.parse(text);'],
    ['repeatedTitles', 'test/a.test.ts', "it('a', () => {}); it('b', () => {});"],
    ['repeatedTitles', 'test/a.test.ts', "it.each(a)('given %s', b); it.each(c)('given %s', d);"],
    ['switchedTests', 'test/a.test.ts', "it.each([1])('a', () => {}); list.skip();"],
    ['unnamedFunctions', inFunction, defined],
  ])('%s allows %s: %s', (rule, path, text) => {
    expect(rules[rule](sourceOf(path, text))).toEqual([]);
  });

  it('refuse a second home of a package, but for the four that have two', () => {
    const using = (name: string) => [
      sourceOf('shared/runtime/a.ts', `import '${name}';`),
      sourceOf('shared/adapters/cluster/b.ts', `import '${name}/deep';`),
    ];
    expect(packagesWithTwoHomes(using('undici'))).toEqual([
      'undici is used in adapters/cluster and runtime',
    ]);
    expect(packagesWithTwoHomes(using('drizzle-orm'))).toEqual([]);
  });

  it('refuse a dependency without a line', () => {
    expect(undocumented(['hono', 'h3'], '\n| `hono` | serves |')).toEqual(['h3']);
  });
});
