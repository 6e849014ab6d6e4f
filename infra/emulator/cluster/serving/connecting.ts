import type { Json, JsonObject } from '#shared/domain/json.ts';
import type { Admitting } from '../parts.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { idOf } from '../served-kinds.ts';
import type { Asked, World } from './world.ts';

/** What comes as a query, or as the end of the path, webhooks are shown as an object. */
type Form = { readonly kind: string; readonly fields: Readonly<Record<string, Reader>> };
type Reader = (asked: Asked, name: string) => Json | undefined;

const streams = { stdin: flag, stdout: flag, stderr: flag, tty: flag, container: word };
const forms: Readonly<Record<string, Form>> = {
  'pods/exec': { kind: 'PodExecOptions', fields: { ...streams, command: words } },
  'pods/attach': { kind: 'PodAttachOptions', fields: streams },
  'pods/portforward': { kind: 'PodPortForwardOptions', fields: { ports: numbers } },
  'pods/proxy': { kind: 'PodProxyOptions', fields: { path: rest } },
  'services/proxy': { kind: 'ServiceProxyOptions', fields: { path: rest } },
  'nodes/proxy': { kind: 'NodeProxyOptions', fields: { path: rest } },
};

/** Whether somebody has anything against it that a pod, a service or a node is reached; of what is no such request nothing is asked. */
export async function refusedConnection(
  asked: Asked,
  { parts }: World,
): Promise<Refusal | undefined> {
  const { of, route, user } = asked;
  const form = forms[`${idOf(of.kind)}/${route.subresource}`];
  if (form === undefined) return undefined;
  const { version, namespace, name = '', subresource } = route;
  const what: Admitting = {
    ...{ kind: of.kind, version, namespace, name, subresource, user, operation: 'CONNECT' },
    ...{ object: optionsOf(form, asked), before: undefined, options: {}, dryRun: false },
    defaulted: (object) => object,
  };
  const mutated = await parts.admission.mutate(what);
  if (isRefusal(mutated)) return mutated;
  const valid = await parts.admission.validate({ ...what, object: mutated.object });
  return isRefusal(valid) ? valid : undefined;
}

function optionsOf({ kind, fields }: Form, asked: Asked): JsonObject {
  const stated = Object.entries(fields).flatMap(([name, read]): [string, Json][] => {
    const value = read(asked, name);
    return value === undefined ? [] : [[name, value]];
  });
  return { kind, apiVersion: 'v1', ...Object.fromEntries(stated) };
}

/** Whatever does not say no is a yes, as Go's clients know it. */
function flag({ query }: Asked, name: string): Json | undefined {
  const value = query.get(name);
  return value === null || /^(false|0)$/i.test(value) ? undefined : true;
}

function word({ query }: Asked, name: string): Json | undefined {
  return query.get(name) || undefined;
}

function words({ query }: Asked, name: string): Json | undefined {
  const values = query.getAll(name);
  return values.length === 0 ? undefined : values;
}

function numbers({ query }: Asked, name: string): Json | undefined {
  const values = query.getAll(name).flatMap((value) => value.split(','));
  return values.length === 0 ? undefined : values.map(Number);
}

/** Below `/api/v1/nodes/a/proxy`, or `/api/v1/namespaces/a/pods/b/proxy`. */
function rest({ path, route }: Asked): Json | undefined {
  const below = path.split('/').slice(route.namespace === undefined ? 6 : 8);
  return below.length === 0 ? undefined : `/${below.map(decodeURIComponent).join('/')}`;
}
