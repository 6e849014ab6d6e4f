import { posix } from 'node:path';
import { roomOf } from './rooms.ts';
import { child, children, isNode, type Node, nameOf, type Source, textOf } from './source.ts';

const forbidden = [
  ...['utils', 'helpers', 'common', 'misc', 'types', 'constants', 'interfaces', 'enums', 'lib'],
  // What a barrel is called.
  'index',
];

/** A thing without a name of its own has no place yet. */
export function badNames({ path }: Source): readonly string[] {
  const steps = path.replace(/(\.(test|config|real))?\.ts$/, '').split('/');
  return [
    ...steps.filter((step) => forbidden.includes(step)).map((step) => `${step} is no name`),
    ...steps
      .filter((step) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(step))
      .map((step) => `${step} is not kebab-case`),
  ];
}

/** What `gatehouse/define` and `gatehouse/testing` hand to users is a list by nature. */
const faces = /^infra\/authoring\//;

export function barrels({ path, body, imports }: Source): readonly string[] {
  if (faces.test(path)) return [];
  const isBarrel =
    body.some(({ type }) => type === 'ExportAllDeclaration') ||
    (body.length > 0 && imports.filter(({ isReexport }) => isReexport).length === body.length);
  return isBarrel ? ['is a barrel: it only hands on what other files export'] : [];
}

/** Tests, benches and the build speak to their caller; the product is told by `config.ts`. */
export function environmentReads({ path, nodes, imports }: Source): readonly string[] {
  const isAllowed =
    path === 'shared/runtime/config.ts' || path === 'infra/build.ts' || roomOf(path) === 'test';
  if (isAllowed) return [];

  const own = nodes.some(bindsProcess);
  const reads = nodes.filter(
    (node) => reachesGlobal(node) || (!own && (takesApart(node) || readsEnvironment(node))),
  );
  const imported = imports.filter(({ from }) => /^(node:)?process$/.test(from));
  return [...reads, ...imported].map(() => 'only shared/runtime/config.ts reads the environment');
}

/** `process.env`, and `process[name]`, which may be it. */
function readsEnvironment(node: Node): boolean {
  return node.type === 'MemberExpression' && /^process\.(env)?$/.test(nameOf(node));
}

function reachesGlobal(node: Node): boolean {
  return node.type === 'MemberExpression' && nameOf(node) === 'globalThis.process';
}

/** `const { env } = process` */
function takesApart(node: Node): boolean {
  const isPattern = child(node, 'id')?.type === 'ObjectPattern';
  return isPattern && nameOf(child(node, 'init')) === 'process';
}

/** A parameter or a constant of that name is somebody's own. */
function bindsProcess(node: Node): boolean {
  return [...children(node, 'params'), child(node, 'id')].some(
    (bound) => nameOf(bound) === 'process',
  );
}

const timeless = ['domain', 'functions', 'define', 'kinds', 'events'];

export function clocksAndDice({ path, nodes }: Source): readonly string[] {
  if (!timeless.includes(roomOf(path) ?? '')) return [];
  return nodes.flatMap((node) => {
    const name = nameOf(node);
    if (node.type === 'MemberExpression' && ['Date.now', 'Math.random'].includes(name)) {
      return [`${name} is asked of a port`];
    }
    const isNow = isDate(node) && children(node, 'arguments').length === 0;
    return isNow ? ['the time is asked of a port'] : [];
  });
}

function isDate(node: Node): boolean {
  return /^(New|Call)Expression$/.test(node.type) && nameOf(child(node, 'callee')) === 'Date';
}

const mocks = ['vi.mock', 'vi.doMock', 'vi.hoisted', 'vi.importActual'];
const switches = ['skip', 'only', 'skipIf', 'runIf', 'todo', 'fails'];

export function mockedModules({ nodes }: Source): readonly string[] {
  return calls(nodes)
    .filter((name) => mocks.includes(name))
    .map((name) => `${name}: the same code goes through production and tests`);
}

export function switchedTests({ nodes }: Source): readonly string[] {
  return nodes
    .filter(({ type }) => type === 'MemberExpression')
    .map(nameOf)
    .filter((name) => /^(it|test|describe|suite)\./.test(name))
    .filter((name) => switches.includes(name.slice(name.lastIndexOf('.') + 1)))
    .map((name) => `${name}: nothing is skipped, and nothing runs alone`);
}

function calls(nodes: readonly Node[]): readonly string[] {
  return nodes.filter(({ type }) => type === 'CallExpression').map(nameOf);
}

export function repeatedTitles({ path, nodes }: Source): readonly string[] {
  if (!path.startsWith('test/')) return [];
  const titles = nodes
    .filter(isTest)
    .flatMap((node) => textOf(firstArgument(node)) ?? [])
    // Of a table, whose rows make the titles.
    .filter((title) => !/%[sdifjo]|\$\w/.test(title));
  return titles
    .filter((title, at) => titles.indexOf(title) !== at)
    .map((title) => `two tests are called "${title}"`);
}

/** `it(…)`, `it.each(…)(…)`: the outer call has the title. */
function isTest(node: Node): boolean {
  return node.type === 'CallExpression' && /^(it|test)(\.\w+)*$/.test(nameOf(node));
}

function firstArgument(node: Node): Node | undefined {
  return children(node, 'arguments')[0];
}

export function unnamedFunctions({ path, body }: Source): readonly string[] {
  if (!path.startsWith('functions/')) return [];
  const exported = body.find(({ type }) => type === 'ExportDefaultDeclaration');
  const definition = child(exported, 'declaration');
  const maker = nameOf(definition);
  if (definition === undefined || !/^define(Admission|Reconcile|Endpoint)$/.test(maker)) {
    return ['has no definition as its default export'];
  }
  const stated = nameStated(firstArgument(definition));
  const file = posix.basename(path, '.ts');
  return stated === file ? [] : [`is called ${stated ?? 'nothing'}, its file ${file}`];
}

function nameStated(options: Node | undefined): string | undefined {
  const property =
    options && children(options, 'properties').find((each) => keyOf(each) === 'name');
  return textOf(property?.['value']);
}

function keyOf({ key }: Node): string | undefined {
  return isNode(key) ? (textOf(key) ?? nameOf(key)) : undefined;
}
