import { setTimeout as sleep } from 'node:timers/promises';
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
  const until = performance.now() + patienceMs;
  for (;;) {
    const reply = await playedOnce(server, step, memory);
    const isSo = step.eventually === undefined || reply.status === step.eventually;
    if (!isSo && performance.now() < until) {
      await sleep(30);
      continue;
    }
    if (isWriteOfDefinition(step)) await definitionAtRest(server, memory);
    return reply;
  }
}

/** What never comes is refused on both. */
const patienceMs = 3_000;

const definitionsAt = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function isWriteOfDefinition({ method, path }: Step): boolean {
  return method !== 'GET' && path.startsWith(definitionsAt);
}

/** A server's own controllers write definitions as well, each when it comes to it: what was answered may not be what is there. */
async function definitionAtRest(server: Server, memory: Memory): Promise<void> {
  const path = `${definitionsAt}/things.{ns}.example`;
  const look = { method: 'GET', path, query: [], headers: {}, body: undefined };
  const textNow = async () => (await server.caller.call(callOf(server, look, memory))).text;
  const until = performance.now() + patienceMs;
  for (let before = await textNow(); performance.now() < until; ) {
    await sleep(atRestMs);
    const now = await textNow();
    if (now === before) return;
    before = now;
  }
}

const atRestMs = 150;

async function playedOnce(server: Server, step: Step, memory: Memory): Promise<Reply> {
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

function remember({ path, marks }: Step, { text }: Reply, memory: Memory): void {
  const body = objectIn(text);
  if (body === undefined) return;
  rememberTokens(body, memory);
  const { metadata } = body;
  if (!isJsonObject(metadata) || typeof metadata['resourceVersion'] !== 'string') return;
  const { resourceVersion, uid, name } = metadata;
  memory.names.set('listed', resourceVersion);
  if (typeof uid !== 'string') return;
  if (marks !== undefined) memory.names.set(marks, resourceVersion);
  memory.names.set('rv', resourceVersion);
  memory.names.set('uid', uid);
  if (!['Table', 'PartialObjectMetadata', 'Scale'].includes(String(body['kind']))) {
    memory.objects.set(pathOf(filled(path, memory), String(name)), body);
  }
}

/** Where a list goes on, and by what an account is known. */
function rememberTokens({ metadata, status }: JsonObject, { names }: Memory): void {
  const next = isJsonObject(metadata) ? metadata['continue'] : undefined;
  if (typeof next === 'string' && next !== '') names.set('token', encodeURIComponent(next));
  const jwt = isJsonObject(status) ? status['token'] : undefined;
  if (typeof jwt === 'string') names.set('jwt', jwt);
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
