import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { getterOf, published } from '#infra/emulator/cluster/schemas/published/make.ts';
import { publishedBy } from '#infra/emulator/cluster/schemas/published/published-groups.ts';
import { readPublished } from '#infra/emulator/cluster/schemas/read-published.ts';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { definitionCases } from '#test/infra/emulator/cluster/custom/definition-cases.ts';
import { foos } from '#test/infra/emulator/cluster/custom/foos.ts';
import { gadgetCases, gadgetChanges } from '#test/infra/emulator/cluster/custom/gadget-cases.ts';
import { gadgets } from '#test/infra/emulator/cluster/custom/gadgets.ts';
import { widgetCases } from '#test/infra/emulator/cluster/custom/widget-cases.ts';
import { widgets } from '#test/infra/emulator/cluster/custom/widgets.ts';
import { decodeCases } from '#test/infra/emulator/cluster/schemas/decode-cases.ts';
import { type Kube, startKube } from './kube/start.ts';

const definitionsPath = 'apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgetsPath = 'apis/example.com/v1/namespaces/default/widgets';
const gadgetsPath = 'apis/example.com/v1/namespaces/default/gadgets';

let kube: Kube;

beforeAll(async () => {
  kube = await startKube({ apiserverArgs: publishedBy });
  await send('POST', 'api/v1/namespaces', { metadata: { name: 't' } });
  await send('POST', definitionsPath, widgets);
  await send('POST', definitionsPath, gadgets);
  for (const path of [widgetsPath, gadgetsPath])
    await vi.waitUntil(async () => 'items' in (await send('GET', path)), { timeout: 30_000 });
}, 120_000);

afterAll(() => kube.stop());

it('what is checked in is what the pinned server publishes', async () => {
  const now = await published(getterOf(kube.kubeconfig));
  const changed = [...now].filter(([name, bytes]) => !readPublished(name).equals(bytes));
  expect(changed.map(([name]) => name)).toEqual([]);
});

describe('the tables of the unit tests hold on the real server', () => {
  it.each(decodeCases)('for the body sent to %s: %s', async (path, body, message) => {
    const answer = await send('POST', `${path}?dryRun=All&fieldValidation=Strict`, body);
    expect(answer['code'] === 400 ? answer['message'] : '').toBe(message);
  });

  it.each(definitionCases)('for a definition changed by %j', async (change, errors) => {
    const answer = await send('POST', `${definitionsPath}?dryRun=All`, foos(change));
    expect(causesOf(answer)).toEqual(errors);
  });

  it.each(widgetCases)('for a widget with the spec %j', async (spec, errors) => {
    const answer = await send('POST', `${widgetsPath}?dryRun=All`, named('Widget', spec));
    expect(causesOf(answer)).toEqual(errors);
  });

  it.each(gadgetCases)('for a gadget with the spec %j', async (spec, errors) => {
    const answer = await send('POST', `${gadgetsPath}?dryRun=All`, named('Gadget', spec));
    expect(causesOf(answer)).toEqual(errors);
  });

  it.each(gadgetChanges)('for a gadget that was %j and becomes %j', async (was, is, errors) => {
    const made = await send('POST', gadgetsPath, named('Gadget', was));
    const answer = await send('PUT', `${gadgetsPath}/w?dryRun=All`, { ...made, spec: is });
    await send('DELETE', `${gadgetsPath}/w`);
    expect(causesOf(answer)).toEqual(errors);
  });
});

function named(kind: string, spec: Json): JsonObject {
  return { apiVersion: 'example.com/v1', kind, metadata: { name: 'w' }, spec };
}

function causesOf({ details }: JsonObject): readonly string[] {
  const causes = isJsonObject(details) ? details['causes'] : undefined;
  const told = isList(causes) ? causes.filter(isJsonObject) : [];
  return told.map(({ field, message }) => `${String(field)}: ${String(message)}`).sort();
}

function send(method: string, path: string, body?: JsonObject | string): Promise<JsonObject> {
  const { url, ca, token } = kube;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/${path}`, { method, ca, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(parsed(Buffer.concat(chunks).toString())));
    });
    asked.on('error', reject);
    asked.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  });
}

/** The router answers a path that is not there yet with plain text. */
function parsed(text: string): JsonObject {
  if (!text.startsWith('{')) return {};
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
