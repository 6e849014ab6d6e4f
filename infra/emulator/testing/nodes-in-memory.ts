import type { Node } from '#shared/domain/node.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import type { Nodes } from '#shared/ports.ts';

export type NodesInMemory = Nodes & {
  put(node: Node): void;
  remove(name: string): void;
};

export function nodesInMemory(...stated: readonly Node[]): NodesInMemory {
  const stored = new Map(stated.map((node) => [node.name, node]));
  return {
    put(node) {
      stored.set(node.name, node);
    },
    remove(name) {
      stored.delete(name);
    },
    list: async (selector) =>
      [...stored.values()].filter(({ labels }) => matchesLabels(selector, labels)),
  };
}
