import {
  forbidden,
  invalid,
  notNegative,
  notSupported,
  required,
  says,
  stated,
} from '../words/errors.ts';
import { type NameRule, portName } from '../words/names.ts';
import {
  type Check,
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
import { portNumber } from './volume-checks.ts';

export function checkedPort(at: Place): Errors {
  return typeof at.value === 'string'
    ? says(portName)(at)
    : portNumber({ ...at, value: number(at) });
}

const headerName: NameRule = (name) =>
  /^[-A-Za-z0-9]+$/.test(name)
    ? []
    : [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      ];

const handlers: Readonly<Record<string, (at: Place, graceSeconds: number) => Errors>> = {
  exec: (at) => (isEmpty(child(at, 'command')) ? [required(child(at, 'command'))] : none),
  httpGet: (at) => [
    ...stated(child(at, 'path')),
    ...checkedPort(child(at, 'port')),
    ...(['HTTP', 'HTTPS'].includes(text(child(at, 'scheme')))
      ? none
      : [notSupported(child(at, 'scheme'), ['HTTP', 'HTTPS'])]),
    ...items(at, 'httpHeaders').flatMap((header) =>
      headerName(text(child(header, 'name'))).map((complaint) =>
        invalid(child(at, 'httpHeaders'), complaint, text(child(header, 'name'))),
      ),
    ),
  ],
  tcpSocket: (at) => checkedPort(child(at, 'port')),
  grpc: (at) => checkedPort(child(at, 'port')),
  sleep: (at, graceSeconds) => {
    const seconds = child(at, 'seconds');
    const isFitting = number(seconds) >= 0 && number(seconds) <= graceSeconds;
    const why = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
    return isFitting ? none : [invalid(at, why, number(seconds))];
  },
};

function checkedHandler(at: Place, graceSeconds: number): Errors {
  const [first, ...more] = Object.keys(handlers).filter((key) => isStated(child(at, key)));
  if (first === undefined) return [required(at, 'must specify a handler type')];
  return [
    ...(handlers[first]?.(child(at, first), graceSeconds) ?? none),
    ...more.map((key) => forbidden(child(at, key), 'may not specify more than 1 handler type')),
  ];
}

const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function checkedProbe(at: Place, graceSeconds: number): Errors {
  const grace = child(at, 'terminationGracePeriodSeconds');
  return [
    ...checkedHandler(at, graceSeconds),
    ...counts.flatMap((key) => notNegative(child(at, key))),
    ...(isStated(grace) && number(grace) <= 0 ? [invalid(grace, 'must be greater than 0')] : none),
  ];
}

/** Liveness and startup count one success; readiness has no grace of its own. */
const ownRules: Readonly<Record<string, Check>> = {
  livenessProbe: onlyOne,
  readinessProbe: (at) => {
    const grace = child(at, 'terminationGracePeriodSeconds');
    return isStated(grace) ? [invalid(grace, 'must not be set for readinessProbes')] : none;
  },
  startupProbe: onlyOne,
};

function onlyOne(at: Place): Errors {
  const threshold = child(at, 'successThreshold');
  return number(threshold) === 1 ? none : [invalid(threshold, 'must be 1', number(threshold))];
}

export const probes = Object.keys(ownRules);

export function checkedLife(container: Place, graceSeconds: number): Errors {
  const hooks = ['postStart', 'preStop'].map((key) => child(container, 'lifecycle', key));
  return [
    ...hooks.filter(isStated).flatMap((at) => checkedHandler(at, graceSeconds)),
    ...probes.flatMap((key) => {
      const at = child(container, key);
      if (!isStated(at)) return none;
      return [...checkedProbe(at, graceSeconds), ...(ownRules[key]?.(at) ?? none)];
    }),
  ];
}
