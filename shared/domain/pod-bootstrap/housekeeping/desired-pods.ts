import { isJsonObject } from '../../json.ts';
import type { Kind } from '../../kind.ts';
import type { KubeObject } from '../../kube-object.ts';
import type { Owner } from './housed-pod.ts';

/** Who says how many pods there are to be. */
export const countingOwners: readonly [Kind, ...Kind[]] = [
  of('apps', 'ReplicaSet'),
  of('apps', 'StatefulSet'),
  of('apps', 'DaemonSet'),
  of('', 'ReplicationController'),
];

function of(group: string, kind: string): Kind {
  return { group, version: 'v1', kind, resource: `${kind.toLowerCase()}s`, namespaced: true };
}

export function countingKind({ apiVersion, kind }: Owner): Kind | undefined {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return countingOwners.find((each) => each.kind === kind && each.group === group);
}

/** Of a DaemonSet the nodes decide. */
export function desiredPods(owner: KubeObject | undefined): number | undefined {
  const [spec, status] = [owner?.['spec'], owner?.['status']].map((part) =>
    isJsonObject(part) ? part : {},
  );
  const found = spec?.['replicas'] ?? status?.['desiredNumberScheduled'];
  return typeof found === 'number' ? found : undefined;
}
