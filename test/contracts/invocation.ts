import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { ReconcileFunction } from '#shared/define.ts';
import { type Ran, type Running, runMessage } from '#shared/runtime/reconcile.ts';
import type { Message } from '#shared/runtime/wake.ts';
import { lambdaOf, type Shelf, serveBundle } from '#test/support/bundles.ts';

export type Call = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Answer = {
  readonly status: number;
  /** Those that a function sets; each server adds its own. */
  readonly headers: Readonly<Record<string, string>>;
  /** In base64, so that every byte counts. */
  readonly body: string;
};

export type Shape<In, Out> = {
  readonly name: string;
  call(given: In): Promise<Out>;
  stop(): Promise<unknown>;
};

/** A bundle behind Knative: plain HTTP at PORT. */
export async function behindKnative(name: string, shelf: Shelf): Promise<Shape<Call, Answer>> {
  const environment = { ...shelf.environment, PORT: '0' };
  const { port, stop } = await serveBundle(name, { ...shelf, environment });
  return { name: 'Knative', call: (call) => send(call, { port }), stop };
}

export type Trust = { readonly ca: string; readonly servername: string };

/** A bundle that terminates TLS itself. */
export async function inNodeServer(
  name: string,
  shelf: Shelf,
  trust: Trust,
): Promise<Shape<Call, Answer>> {
  const { port, stop } = await serveBundle(name, shelf);
  return { name: 'Node server', call: (call) => send(call, { port, ...trust }), stop };
}

/** A bundle behind Lambda's HTTP API, payload version 2.0. */
export function behindHttpApi(name: string, shelf: Shelf): Shape<Call, Answer> {
  const lambda = lambdaOf(name, shelf);
  return {
    name: 'HTTP API',
    call: async (call) => answerOf((await lambda.invoke(httpApiEvent(call))) as HttpApiResult),
    stop: async () => lambda.stop(),
  };
}

/** As the worker's loop runs it, in this very process. */
export function inWorker(definition: ReconcileFunction, running: Running): Shape<Message, Ran> {
  return {
    name: 'worker',
    call: (message) => runMessage(definition, message, running),
    stop: async () => {},
  };
}

/** In both of its modes, to one process. */
export async function asCloudEvents(
  name: string,
  shelf: Shelf,
): Promise<readonly Shape<Message, Ran>[]> {
  const { call, stop } = await behindKnative(name, shelf);
  const shapeOf = (mode: string, written: (message: Message) => Call): Shape<Message, Ran> => ({
    name: `CloudEvent, ${mode}`,
    call: async (message) => {
      const { body } = await call(written(message));
      return JSON.parse(Buffer.from(body, 'base64').toString('utf8'));
    },
    stop,
  });
  return [shapeOf('structured', structured), shapeOf('binary', binary)];
}

export function inSqsBatch(name: string, shelf: Shelf): Shape<Message, Ran> {
  const lambda = lambdaOf(name, shelf);
  return {
    name: 'SQS batch',
    call: async (message) => {
      const body = JSON.stringify(eventFor(message));
      const record = { messageId: 'm1', body, attributes: { MessageGroupId: 'g1' } };
      const answer = (await lambda.invoke({ Records: [record] })) as BatchResult;
      const [first] = answer.outcomes;
      return first === undefined ? { kind: 'undecodable', why: 'not run' } : first.outcome;
    },
    stop: async () => lambda.stop(),
  };
}

type BatchResult = { readonly outcomes: readonly { readonly outcome: Ran }[] };

function eventFor({ attempt, ...message }: Message): object {
  return { specversion: '1.0', source: '/test', gatehouseattempt: attempt, ...message };
}

function structured(message: Message): Call {
  const headers = { 'content-type': 'application/cloudevents+json' };
  const body = JSON.stringify(eventFor(message));
  return { method: 'POST', path: '/', headers, body };
}

function binary({ id, type, data, attempt }: Message): Call {
  const headers = {
    'content-type': 'application/json',
    'ce-specversion': '1.0',
    'ce-source': '/test',
    'ce-id': id,
    'ce-type': type,
    ...(attempt === undefined ? {} : { 'ce-gatehouseattempt': `${attempt}` }),
  };
  return { method: 'POST', path: '/', headers, body: JSON.stringify(data) };
}

function send(
  { method, path, headers, body }: Call,
  { port, ...trust }: { readonly port: number } & Partial<Trust>,
): Promise<Answer> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options: RequestOptions = {
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { ...headers, ...length },
    agent: false,
    ...trust,
  };
  const request = trust.ca === undefined ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    request(options, async (response) => {
      const chunks = await response.toArray();
      resolve({
        status: response.statusCode ?? 0,
        headers: stated(response.headers),
        body: Buffer.concat(chunks).toString('base64'),
      });
    })
      .on('error', reject)
      .end(body);
  });
}

type HttpApiResult = {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly cookies?: readonly string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
};

function httpApiEvent({ method, path, headers, body }: Call): object {
  const [rawPath = '/', rawQueryString = ''] = path.split('?');
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: { host: 'abc.execute-api.eu-central-1.amazonaws.com', ...headers },
    requestContext: { http: { method, path: rawPath }, domainName: 'abc.example.org' },
    ...(body === undefined ? {} : { body }),
    isBase64Encoded: false,
  };
}

function answerOf({ statusCode, headers, cookies, body, isBase64Encoded }: HttpApiResult): Answer {
  const set = cookies === undefined ? {} : { 'set-cookie': cookies.join(',') };
  return {
    status: statusCode,
    headers: stated({ ...headers, ...set }),
    body: isBase64Encoded ? body : Buffer.from(body, 'utf8').toString('base64'),
  };
}

function stated(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name === 'content-type' || name === 'set-cookie' || name.startsWith('x-'))
      .map(([name, value]) => [name, String(value)]),
  );
}
