import type { JsonObject } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { portNumber } from '../pods/volume-checks.ts';
import { checkedCidr, isWithin } from '../words/addresses.ts';
import { all, each, ensured, itemsOf, preset } from '../words/edit.ts';
import { forbidden, invalid, oneOf, required, says } from '../words/errors.ts';
import { portName } from '../words/names.ts';
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
import { checkedSelector } from '../words/selector.ts';

const protocols = each('ports', preset({ protocol: 'TCP' }));

function kindsOf(spec: JsonObject): JsonObject {
  if (itemsOf(spec, 'egress').length === 0) return preset({ policyTypes: ['Ingress'] })(spec);
  return preset({ policyTypes: ['Ingress', 'Egress'] })(spec);
}

/** Stored; nothing in the emulator holds anybody to it. */
export const networkPolicy: KindRules = {
  defaults: ensured(
    'spec',
    all(ensured('podSelector'), each('ingress', protocols), each('egress', protocols), kindsOf),
  ),
  counts: ['spec'],
  checks: (at) => checkedSpec(child(at, 'spec')),
};

function checkedSpec(spec: Place): Errors {
  const types = items(spec, 'policyTypes');
  return [
    ...checkedSelector(child(spec, 'podSelector')),
    ...items(spec, 'ingress').flatMap((at) => checkedRule(at, 'from')),
    ...items(spec, 'egress').flatMap((at) => checkedRule(at, 'to')),
    ...(types.length > 2
      ? [invalid(child(spec, 'policyTypes'), 'may not specify more than two policyTypes')]
      : types.flatMap((at) => oneOf(at, ['Ingress', 'Egress']))),
  ];
}

function checkedRule(at: Place, peers: string): Errors {
  return [...items(at, 'ports').flatMap(checkedPort), ...items(at, peers).flatMap(checkedPeer)];
}

function checkedPort(at: Place): Errors {
  const [port, end] = [child(at, 'port'), child(at, 'endPort')];
  return [
    ...oneOf(child(at, 'protocol'), ['TCP', 'UDP', 'SCTP']),
    ...(typeof port.value === 'string' ? says(portName)(port) : none),
    ...(typeof port.value === 'number' ? portNumber(port) : none),
    ...(isStated(end) ? checkedEnd(port, end) : none),
  ];
}

function checkedEnd(port: Place, end: Place): Errors {
  if (!isStated(port)) return [invalid(end, 'may not be specified when `port` is not specified')];
  if (typeof port.value === 'string') {
    return [invalid(end, 'may not be specified when `port` is non-numeric')];
  }
  return [
    ...(number(end) < number(port)
      ? [invalid(end, 'must be greater than or equal to `port`', number(port))]
      : none),
    ...portNumber(end),
  ];
}

function checkedPeer(at: Place): Errors {
  const [pods, namespaces, block] = ['podSelector', 'namespaceSelector', 'ipBlock'].map((key) =>
    child(at, key),
  );
  if (pods === undefined || namespaces === undefined || block === undefined) return none;
  const found = [pods, namespaces, block].filter(isStated).length;
  return [
    ...checkedSelector(pods),
    ...checkedSelector(namespaces),
    ...(isStated(block) ? checkedBlock(block) : none),
    ...(found === 0 ? [required(at, 'must specify a peer')] : none),
    ...(found > 1 && isStated(block)
      ? [forbidden(at, 'may not specify both ipBlock and another peer')]
      : none),
  ];
}

function checkedBlock(at: Place): Errors {
  const cidr = child(at, 'cidr');
  if (isEmpty(cidr)) return [required(cidr)];
  return [
    ...checkedCidr(cidr),
    ...items(at, 'except').flatMap((except) => [
      ...checkedCidr(except),
      ...(isWithin(text(except), text(cidr))
        ? none
        : [invalid(except, 'must be a strict subset of `cidr`')]),
    ]),
  ];
}
