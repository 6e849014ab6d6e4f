import type { Pod } from '../shapes/pod.ts';
import type { EndpointPort, Service, ServicePort } from '../shapes/surroundings.ts';

/** Where the pod listens for each of the service's ports; a named port that the pod has not got is left out. */
export function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec.ports ?? []).flatMap((port) => {
    const number = numberOf(port, pod);
    if (number === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = port;
    return {
      ...(name !== undefined && { name }),
      port: number,
      protocol,
      ...(appProtocol !== undefined && { appProtocol }),
    };
  });
}

function numberOf({ port, targetPort, protocol = 'TCP' }: ServicePort, pod: Pod) {
  const target = targetPort ?? port;
  if (typeof target === 'number') return target;
  const sidecars = (pod.spec.initContainers ?? []).filter(
    (each) => each.restartPolicy === 'Always',
  );
  return [...pod.spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((each) => each.name === target && (each.protocol ?? 'TCP') === protocol)?.containerPort;
}
