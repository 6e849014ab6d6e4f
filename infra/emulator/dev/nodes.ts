import type { Settings } from '#shared/domain/settings.ts';
import type { NodeOptions } from '../controllers/kubelet/options.ts';

/** Two nodes of the platform's pool and one of the customer's, so that there is something to prefer. */
export function nodesFor({ nodeAffinity }: Settings): readonly NodeOptions[] {
  const { labelKey, pools } = nodeAffinity;
  const [pool = 'platform'] = pools;
  const inPool = (name: string, of: string): NodeOptions => ({ name, labels: { [labelKey]: of } });
  return [inPool('worker-1', pool), inPool('worker-2', pool), inPool('worker-3', 'customers')];
}
