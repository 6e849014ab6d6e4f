import type { Report, World } from '../frame/controller.ts';
import { pods } from '../shapes/kinds.ts';
import type { Pod } from '../shapes/pod.ts';

/** An Event of the kubelet of the pod's node. */
export function tell(pod: Pod, event: Report, world: World): void {
  world.report(pod, pods, { ...event, by: 'kubelet', host: pod.spec.nodeName ?? '' });
}
