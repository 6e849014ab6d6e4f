import { nodeObject, nodeStatus } from '#infra/emulator/controllers/kubelet/node-object.ts';
import type { Node } from '#infra/emulator/controllers/shapes/surroundings.ts';
import type { Stage } from '#test/contracts/kube-api/asking.ts';
import type { Step } from '#test/contracts/kube-api/case.ts';
import { done } from './hands.ts';

const nodeNames = ['n1', 'n2'];

/** Ready ones, as kubelets register them. */
export async function withNodes(stage: Stage): Promise<void> {
  for (const step of nodeNames.flatMap(stepsFor)) await done(stage, step, new Map());
}

function stepsFor(name: string, index: number): readonly Step[] {
  const node = nodeObject({ name });
  const facts = { index, version: 'v1.35.4', now: new Date() };
  const status = nodeStatus(node as unknown as Node, { name }, facts);
  return [
    { do: 'POST nodes', send: node, gives: 201 },
    // There a controller takes the taint off a new one; here that is the kubelet's.
    { do: `MERGE nodes/${name}`, send: { spec: { taints: null } }, gives: 200 },
    { do: `MERGE nodes/${name}/status`, send: { status }, gives: 200 },
  ];
}
