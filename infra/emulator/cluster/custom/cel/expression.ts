import type { ASTNode } from '@marcbachmann/cel-js';
import { isJsonObject } from '#shared/domain/json.ts';

const loops: ReadonlySet<string> = new Set(
  'all exists exists_one existsOne filter map sortBy transformList transformMap transformMapEntry'.split(
    ' ',
  ),
);

/** The server estimates costs by the sizes that a schema allows. Here one thing is refused: what grows with the fourth power. */
export const mostNested = 3;

export function nestedLoops(node: ASTNode): number {
  const below = Math.max(0, ...childrenOf(node).map(nestedLoops));
  return node.op === 'rcall' && loops.has(node.args[0]) ? below + 1 : below;
}

export function namesVariable(node: ASTNode, name: string): boolean {
  if (node.op === 'id') return node.args === name;
  return childrenOf(node).some((each) => namesVariable(each, name));
}

export function childrenOf(node: ASTNode): readonly ASTNode[] {
  return nodesIn(node.args);
}

function nodesIn(value: unknown): readonly ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return isNode(value) ? [value] : [];
}

function isNode(value: unknown): value is ASTNode {
  return isJsonObject(value) && 'op' in value && 'args' in value;
}
