import { checkedProtocol } from '../pods/container-checks.ts';
import { checkedPort } from '../pods/probe-checks.ts';
import { portNumber } from '../pods/volume-checks.ts';
import { duplicate, forbidden, required, says } from '../words/errors.ts';
import { dnsLabel, qualifiedName } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';

export function checkedPorts(spec: Place): Errors {
  const names = new Set<string>();
  const ports = items(spec, 'ports');
  return ports.flatMap((at) => {
    const [name, protocol] = [child(at, 'name'), child(at, 'appProtocol')];
    const again = !isEmpty(name) && names.has(text(name)) ? [duplicate(name)] : none;
    names.add(text(name));
    return [
      ...(isEmpty(name) ? none : says(dnsLabel)(name)),
      ...(isEmpty(name) && ports.length > 1 ? [required(name)] : none),
      ...again,
      ...portNumber({ ...child(at, 'port'), value: number(child(at, 'port')) }),
      ...checkedProtocol(child(at, 'protocol')),
      ...checkedPort(child(at, 'targetPort')),
      ...(isStated(protocol) ? says(qualifiedName)(protocol) : none),
    ];
  });
}

export function checkedNodePorts(spec: Place): Errors {
  if (text(child(spec, 'type')) !== 'ClusterIP') return none;
  return items(spec, 'ports')
    .map((at) => child(at, 'nodePort'))
    .filter((at) => number(at) !== 0)
    .map((at) => forbidden(at, "may not be used when `type` is 'ClusterIP'"));
}

/** Two ports of the same number and protocol; shown as the real server's own form of a port. */
export function samePorts(spec: Place): Errors {
  const seen = new Set<string>();
  return items(spec, 'ports').flatMap((at) => {
    const [protocol, port] = [text(child(at, 'protocol')), number(child(at, 'port'))];
    const key = `${protocol}/${port}`;
    if (!seen.has(key)) {
      seen.add(key);
      return none;
    }
    const TargetPort = 0;
    const value = {
      Name: '',
      Protocol: protocol,
      AppProtocol: null,
      Port: port,
      TargetPort,
      NodePort: 0,
    };
    return [duplicate({ path: at.path, value })];
  });
}
