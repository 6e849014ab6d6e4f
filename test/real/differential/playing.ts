import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Call, Caller, Reply } from '#test/contracts/kube-api/calling.ts';
import { edited } from './edit.ts';
import type { Body, Step } from './step.ts';

export type Server = { readonly caller: Caller; readonly token: string };

/** What one server has said so far of the objects of one sequence. */
export type Memory = {
  readonly names: Map<string, string>;
  readonly objects: Map<string, JsonObject>;
};

export function emptyMemory(namespace: string): Memory {
  const names = new Map([
    ...[
      ['ns', namespace],
      ['rv', '1'],
      ['uid', '00000000-0000-4000-8000-000000000000'],
    ],
    ...[
      ['listed', '0'],
      ['token', 'x'],
    ],
  ] as const);
  return { names: names as Map<string, string>, objects: new Map() };
}

/** One request, as this server's own answers have made it. */
export async function played(server: Server, step: Step, memory: Memory): Promise<Reply> {
  const call = callOf(server, step, memory);
  const isWatch =
    step.query.some((each) => /watch=(true|&|maybe)/.test(each)) || step.path.includes('/watch/');
  const asking = isWatch ? server.caller.watch(call, undefined) : server.caller.call(call);
  // A connection that is cut is an answer as well.
  const reply = await asking.catch((cause: unknown) => ({
    status: 0,
    headers: {},
    text: String(cause),
  }));
  remember(step, reply, memory);
  return reply;
}

function callOf({ token }: Server, step: Step, memory: Memory): Call {
  const query = step.query.length === 0 ? '' : `?${step.query.join('&')}`;
  return {
    method: step.method,
    path: filled(`${step.path}${query}`, memory),
    headers: { ...step.headers, authorization: `Bearer ${token}`, 'user-agent': 'probe/1' },
    body: step.body === undefined ? undefined : filled(textOf(step.body, memory), memory),
  };
}

export function filled(text: string, { names }: Pick<Memory, 'names'>): string {
  return text.replace(/\{(\w+)\}/g, (known, name: string) => names.get(name) ?? known);
}

function textOf(body: Body, memory: Memory): string {
  if (body.kind === 'text') return body.text;
  if (body.kind === 'json') return JSON.stringify(body.value);
  const there = memory.objects.get(filled(body.path, memory));
  return JSON.stringify(there === undefined ? body.otherwise : edited(there, body.edits));
}

function remember({ path }: Step, { text }: Reply, memory: Memory): void {
  const body = objectIn(text);
  const { metadata } = body ?? {};
  if (body === undefined || !isJsonObject(metadata)) return;
  const { resourceVersion, uid, name, continue: token } = metadata;
  if (typeof token === 'string' && token !== '')
    memory.names.set('token', encodeURIComponent(token));
  if (typeof resourceVersion !== 'string') return;
  if (typeof uid !== 'string') {
    if (String(body['kind']).endsWith('List')) memory.names.set('listed', resourceVersion);
    return;
  }
  memory.names.set('rv', resourceVersion);
  memory.names.set('uid', uid);
  memory.names.set('listed', resourceVersion);
  if (!['Table', 'PartialObjectMetadata', 'Scale'].includes(String(body['kind']))) {
    memory.objects.set(pathOf(filled(path, memory), String(name)), body);
  }
}

function pathOf(path: string, name: string): string {
  const at = path.indexOf(`/${name}/`);
  if (at > 0 && !path.includes('namespaces/')) return path.slice(0, at + name.length + 1);
  const inside = /^(.*\/namespaces\/[^/]+\/[^/]+\/[^/]+)\/[^/]+$/.exec(path);
  if (inside?.[1] !== undefined) return inside[1];
  return path.endsWith(`/${name}`) || path.endsWith(`/${name}/status`)
    ? path.replace(/\/status$/, '')
    : `${path}/${name}`;
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // A page, YAML or a watch: nothing is remembered of it.
    return undefined;
  }
}
