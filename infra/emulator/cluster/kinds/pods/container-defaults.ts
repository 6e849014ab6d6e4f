import type { JsonObject } from '#shared/domain/json.ts';
import {
  all,
  type Edit,
  each,
  ensured,
  inside,
  partOf,
  preset,
  presetNought,
  put,
  textOf,
  when,
} from '../words/edit.ts';
import { amounts, canonicalQuantity } from '../words/quantity.ts';

/** No tag and no digest means `latest`. */
export function isLatest(image: string): boolean {
  if (image === '' || image.includes('@')) return false;
  const last = image.slice(image.lastIndexOf('/') + 1);
  return !last.includes(':') || last.endsWith(':latest');
}

const httpGet = inside(
  'httpGet',
  all(
    preset({ path: '/', scheme: 'HTTP' }),
    each('httpHeaders', (header) => ({ value: '', ...header })),
  ),
);

const probe = all(
  presetNought({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  httpGet,
  inside('grpc', (grpc) => ({ service: '', ...grpc })),
);

const divisor: Edit = (selector) =>
  put(selector, 'divisor', canonicalQuantity(selector['divisor'] ?? '0'));

/** What an env entry or a file of the downward API points to. */
export const pointsTo = all(
  inside('fieldRef', preset({ apiVersion: 'v1' })),
  inside('resourceFieldRef', divisor),
);

const env = inside('valueFrom', pointsTo);

function pulled(container: JsonObject): JsonObject {
  const imagePullPolicy = isLatest(textOf(container, 'image')) ? 'Always' : 'IfNotPresent';
  return preset({ imagePullPolicy })(container);
}

export const resources = amounts('limits', 'requests');

/** A part of a pod and of a pod's template alike. */
export const container: Edit = all(
  preset({
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  }),
  pulled,
  each('ports', preset({ protocol: 'TCP' })),
  each('env', env),
  inside('livenessProbe', probe),
  inside('readinessProbe', probe),
  inside('startupProbe', probe),
  inside('lifecycle', all(inside('postStart', httpGet), inside('preStop', httpGet))),
  ensured('resources', resources),
);

function withRequests(resource: JsonObject): JsonObject {
  const limits = partOf(resource, 'limits');
  if (Object.keys(limits).length === 0) return resource;
  return { ...resource, requests: { ...limits, ...partOf(resource, 'requests') } };
}

/** Only of a pod itself: what is limited is requested. */
export const requestedAsLimited = inside('resources', withRequests);

/** Only of a pod itself, on the host's network. */
export const hostPorts = each(
  'ports',
  when(
    ({ containerPort }) => containerPort !== undefined,
    (port) => presetNought({ hostPort: port['containerPort'] ?? 0 })(port),
  ),
);
