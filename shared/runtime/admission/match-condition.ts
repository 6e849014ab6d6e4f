import { setFlagsFromString } from 'node:v8';
import { type ASTNode, Environment, type TypeCheckResult } from '@marcbachmann/cel-js';
import { isJsonObject } from '#shared/domain/json.ts';

// JavaScript's regular expressions backtrack; with this V8 falls back to a linear engine instead of hanging.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

export type ConditionVariables = {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
};

export type CompiledCondition =
  | { readonly ok: true; readonly holds: (variables: ConditionVariables) => boolean }
  | { readonly ok: false; readonly why: string };

/** What one evaluation may cost at most: these run in line, in front of every pod. */
const limits = {
  maxAstNodes: 500,
  maxDepth: 40,
  maxListElements: 100,
  maxMapEntries: 100,
  maxCallArguments: 8,
};
const maxNestedLoops = 2;
const loops: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

const environment = new Environment({ enableOptionalTypes: true, limits })
  .registerVariable('object', 'dyn')
  .registerVariable('oldObject', 'dyn')
  .registerVariable('request', 'dyn');

/** `authorizer`, Kubernetes' own libraries and anything costly is refused: the API server evaluates those. */
export function compileCondition(expression: string): CompiledCondition {
  try {
    const evaluate = environment.parse(expression);
    const why = refusal(evaluate.ast) ?? mistyped(evaluate.check());
    if (why !== undefined) return { ok: false, why };

    const used = usedPaths(evaluate.ast);
    return { ok: true, holds: (variables) => isTrue(evaluate(project(variables, used))) };
  } catch (cause: unknown) {
    return { ok: false, why: cause instanceof Error ? firstLine(cause.message) : 'not CEL' };
  }
}

function mistyped({ error, type }: TypeCheckResult): string | undefined {
  if (error !== undefined) return firstLine(error.message);
  return type === 'bool' || type === 'dyn' ? undefined : 'it is neither true nor false';
}

function isTrue(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error('a match condition must be true or false');
  return value;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

function refusal(ast: ASTNode): string | undefined {
  const deepest = nestedLoops(ast);
  if (deepest > maxNestedLoops) return `loops are nested ${deepest} deep`;
  const pattern = nodesOf(ast).find(isRiskyMatch);
  return pattern === undefined ? undefined : 'matches() takes a literal RE2 pattern here';
}

function isRiskyMatch(node: ASTNode): boolean {
  const args = callArguments(node, 'matches');
  if (args === undefined) return false;
  const [pattern] = args;
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return true;
  // RE2 has neither, and in JavaScript they are what the linear engine cannot run.
  return /\(\?[=!<]|\\[1-9]|\\k</.test(pattern.args);
}

function callArguments(node: ASTNode, name: string): readonly ASTNode[] | undefined {
  if (node.op === 'rcall' && node.args[0] === name) return node.args[2];
  if (node.op === 'call' && node.args[0] === name) return node.args[1].slice(1);
  return undefined;
}

function nestedLoops(node: ASTNode): number {
  const below = Math.max(0, ...childrenOf(node).map(nestedLoops));
  return node.op === 'rcall' && loops.has(node.args[0]) ? below + 1 : below;
}

function nodesOf(node: ASTNode): readonly ASTNode[] {
  return [node, ...childrenOf(node).flatMap(nodesOf)];
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  return nodesIn(node.args);
}

function nodesIn(value: unknown): readonly ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return isNode(value) ? [value] : [];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** Which parts of the variables an expression can see: `true` is all of it. */
type Used = true | { readonly [key: string]: Used };

/** CEL wants whole numbers as BigInt. Converting a pod costs as much as answering, so only what is read is converted. */
function usedPaths(ast: ASTNode): Used {
  return pathsOf(ast).reduce<Used>((used, path) => merge(used, path), {});
}

function pathsOf(node: ASTNode): readonly (readonly string[])[] {
  const chain = chainOf(node);
  return chain === undefined ? childrenOf(node).flatMap(pathsOf) : [chain];
}

function chainOf(node: ASTNode): readonly string[] | undefined {
  if (node.op === 'id') return [node.args];
  if (node.op !== '.') return undefined;
  const before = chainOf(node.args[0]);
  return before === undefined ? undefined : [...before, node.args[1]];
}

function merge(used: Used, [first, ...rest]: readonly string[]): Used {
  if (used === true || first === undefined) return true;
  const below = Object.hasOwn(used, first) ? used[first] : undefined;
  return { ...used, [first]: merge(below ?? {}, rest) };
}

function project(variables: ConditionVariables, used: Used): Record<string, unknown> {
  const roots = Object.entries(variables).filter(
    ([name]) => used === true || Object.hasOwn(used, name),
  );
  return Object.fromEntries(
    roots.map(([name, value]) => [
      name,
      convert(value, used === true ? true : (used[name] ?? true)),
    ]),
  );
}

function convert(value: unknown, used: Used): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((item) => convert(item, true));
  if (!isJsonObject(value)) return value ?? null;

  const keys = used === true ? Object.keys(value) : Object.keys(used);
  // A Map, since the library asks an object for its `constructor`, and a label may be called that.
  return new Map(
    keys
      // To the API server a pod's null field is one that is not there.
      .filter((key) => Object.hasOwn(value, key) && value[key] !== null)
      .map((key) => [key, convert(value[key], used === true ? true : (used[key] ?? true))]),
  );
}
