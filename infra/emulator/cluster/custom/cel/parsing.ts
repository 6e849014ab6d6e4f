import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { childrenOf } from './expression.ts';

/** What the library has as well, but in the letters of JavaScript: ours, in Go's runes, stand in for it. */
const standingIn: ReadonlyMap<unknown, string> = new Map(
  ['matches', 'indexOf', 'lastIndexOf', 'substring', 'lowerAscii', 'upperAscii'].map((name) => [
    name,
    inGo(name),
  ]),
);

/** The name that a function is registered by which stands in for the library's. */
export function inGo(name: string): string {
  return `go_${name}`;
}

/** As the rule has it, and as Go calls what is in a list or a map. */
export function asWritten(said: string): string {
  return said.replaceAll(/\bgo_(?=\w)/g, '').replaceAll(/\.at_(?=(idx|elem)\b)/g, '.@');
}

export function parsed(environment: Environment, expression: string) {
  const program = environment.parse(expression);
  standIn(program.ast);
  return program;
}

function standIn(node: ASTNode): void {
  for (const each of childrenOf(node)) standIn(each);
  if (node.op !== 'rcall') return;
  const [name, ...rest] = node.args;
  const other = standingIn.get(name);
  if (other !== undefined) Object.assign(node, { args: [other, ...rest] });
}
