import { parseAst } from 'vitest/node';

/** A file of ours as the rules see it. */
export type Source = {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** Every node of the syntax tree, in no order that matters. */
  readonly nodes: readonly Node[];
  readonly body: readonly Node[];
};

export type Import = {
  readonly from: string;
  readonly isType: boolean;
  readonly isReexport: boolean;
};

/** Of the ESTree, as far as the rules look. */
export type Node = { readonly type: string; readonly [field: string]: unknown };

/**
 * The parser is vitest's own (oxc, through rolldown): it knows TypeScript, and keeps the imports of types, which
 * Node's type stripping and esbuild's metafile both drop. A regular expression would find imports in texts.
 */
export function sourceOf(path: string, text: string): Source {
  const program = parsed(path, text);
  const nodes = everyNode(program);
  return { path, text, nodes, imports: nodes.flatMap(importOf), body: children(program, 'body') };
}

function parsed(path: string, text: string): Node {
  try {
    return asNode(parseAst(text, { lang: 'ts' }));
  } catch (cause: unknown) {
    throw new Error(`cannot parse ${path}`, { cause });
  }
}

function everyNode(program: Node): readonly Node[] {
  const found: Node[] = [];
  const waiting: unknown[] = [program];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (isNode(next)) found.push(next);
    for (const field of Object.values(next ?? {})) {
      if (typeof field === 'object' && field !== null) waiting.push(field);
    }
  }
  return found;
}

function importOf(node: Node): readonly Import[] {
  const from = textOf(node['source']);
  if (from === undefined) return [];

  const isReexport = node.type.startsWith('Export');
  const isType =
    node.type === 'TSImportType' ||
    node['importKind'] === 'type' ||
    node['exportKind'] === 'type' ||
    onlyTypes(node);
  return [{ from, isType, isReexport }];
}

/** `import { type A, type B } from …`: the file is loaded, but nothing of it is used. */
function onlyTypes(node: Node): boolean {
  const specifiers = children(node, 'specifiers');
  const kind = node.type.startsWith('Export') ? 'exportKind' : 'importKind';
  return specifiers.length > 0 && specifiers.every((specifier) => specifier[kind] === 'type');
}

export function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string'
  );
}

function asNode(value: unknown): Node {
  if (!isNode(value)) throw new Error('expected a syntax tree');
  return value;
}

export function children(node: Node, field: string): readonly Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function child(node: Node | undefined, field: string): Node | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

/** A string as it stands, or a template without holes. */
export function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;

  const [only, ...others] = children(node, 'quasis');
  const value = only?.['value'];
  if (others.length > 0 || typeof value !== 'object' || value === null) return undefined;
  return String(Reflect.get(value, 'cooked'));
}

/** `Date.now`, `it.each.skip`; nothing for what is no chain of plain names. */
export function nameOf(node: Node | undefined): string {
  if (node === undefined) return '';
  if (node.type === 'Identifier') return String(node['name']);
  if (node.type === 'CallExpression') return nameOf(child(node, 'callee'));
  if (node.type === 'TaggedTemplateExpression') return nameOf(child(node, 'tag'));
  if (node.type !== 'MemberExpression') return '';

  const property = node['computed'] === true ? '' : nameOf(child(node, 'property'));
  return `${nameOf(child(node, 'object'))}.${property}`;
}
