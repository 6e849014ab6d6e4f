import { isIP } from 'node:net';
import { checkedIp } from '../words/addresses.ts';
import { forbidden, invalid, oneOf, required, says } from '../words/errors.ts';
import { dnsSubdomain } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  type Place,
  text,
} from '../words/place.ts';

/** Where traffic from outside arrives, by an address or by a name. */
export function checkedPoint(at: Place): Errors {
  const [ip, hostname] = [child(at, 'ip'), child(at, 'hostname')];
  return [
    ...(isEmpty(ip) ? none : checkedIp(ip)),
    ...(isEmpty(hostname) ? none : says(dnsSubdomain)(hostname)),
    ...(isIP(text(hostname)) === 0
      ? none
      : [invalid(hostname, 'must be a DNS name, not an IP address')]),
  ];
}

/** Of a service; only one of a balancer has any. */
export function checkedBalancedStatus(next: Place): Errors {
  const at = child(next, 'status', 'loadBalancer');
  const points = items(at, 'ingress');
  const isBalanced = text(child(next, 'spec', 'type')) === 'LoadBalancer';
  if (points.length > 0 && !isBalanced) {
    return [forbidden(child(at, 'ingress'), "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return points.flatMap((point) => {
    const { ip, mode } = { ip: child(point, 'ip'), mode: child(point, 'ipMode') };
    const [first, rest] = [
      isEmpty(ip) ? none : checkedIp(ip),
      checkedPoint({ ...point, value: { hostname: text(child(point, 'hostname')) } }),
    ];
    return [...first, ...checkedMode(ip, mode), ...rest];
  });
}

function checkedMode(ip: Place, mode: Place): Errors {
  if (isEmpty(ip) && isStated(mode)) {
    return [forbidden(mode, 'may not be specified when `ip` is not set')];
  }
  if (isEmpty(ip)) return none;
  if (!isStated(mode)) return [required(mode, 'must be specified when `ip` is set')];
  return oneOf(mode, ['Proxy', 'VIP']);
}
