import { child, items, number, type Place, text } from '../words/place.ts';

type Port = {
  readonly path: string;
  readonly hostIP: string;
  readonly hostPort: number;
  /** Number and protocol. */
  readonly key: string;
  readonly name: string;
};

/** Ports that stand twice, in whichever of its containers. */
export function portWarnings(containers: readonly Place[]): readonly string[] {
  const ports = containers.flatMap((each) => items(each, 'ports')).map(portAt);
  return [
    ...ports.flatMap((port, at) =>
      ports
        .slice(0, at)
        .flatMap((other) => clash(port, other).map((why) => `${port.path}: ${why}`)),
    ),
    ...ports.flatMap((port, at) => {
      const first = ports.find(({ name }) => name !== '' && name === port.name);
      if (first === undefined || ports.indexOf(first) === at) return [];
      return [
        `${port.path}: duplicate port name ${JSON.stringify(port.name)} with ${first.path}, services and probes that select ports by name will use ${first.path}`,
      ];
    }),
  ];
}

function portAt(at: Place): Port {
  const [hostIP, name] = [text(child(at, 'hostIP')), text(child(at, 'name'))];
  const key = `${number(child(at, 'containerPort'))}/${text(child(at, 'protocol'))}`;
  return { path: at.path, hostIP, hostPort: number(child(at, 'hostPort')), key, name };
}

function clash(port: Port, other: Port): readonly string[] {
  if (port.key !== other.key) return [];
  const isSameHost = port.hostPort === other.hostPort;
  if (isSameHost && port.hostIP === other.hostIP) {
    return [`duplicate port definition with ${other.path}`];
  }
  if (port.hostPort === 0 || other.hostPort === 0) {
    return [`overlapping port definition with ${other.path}`];
  }
  const isOpen = (port.hostIP === '') !== (other.hostIP === '');
  return isSameHost && isOpen ? [`dangerously ambiguous port definition with ${other.path}`] : [];
}
