import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { type Client, emulated, mergePatch, metadataOf, openClient } from './emulated.ts';

const { ask, namespace } = await emulated();
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const services = '/apis/apiregistration.k8s.io/v1/apiservices';

async function defined(group: string, plural = 'things', asked: Client['ask'] = ask) {
  const kind = plural === 'things' ? 'Thing' : 'Other';
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const body = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
  expect((await asked(`POST ${definitions}`, { body })).status).toBe(201);
  return `${definitions}/${plural}.${group}`;
}

describe('a definition that is deleted', () => {
  it('waits for the last of its objects, however long others hold it', async () => {
    const definition = await defined('held.example');
    const at = `/apis/held.example/v1/namespaces/${await namespace()}/things`;
    const type = { apiVersion: 'held.example/v1', kind: 'Thing' };
    const held = { name: 'held', finalizers: ['x.example/hold'] };
    await ask(`POST ${at}`, { body: { ...type, metadata: held } });
    await ask(`POST ${at}`, { body: { ...type, metadata: { name: 'free' } } });

    await ask(`DELETE ${definition}`);
    expect((await ask(`GET ${at}/free`)).status).toBe(404);
    const left = metadataOf((await ask(`GET ${at}/held`)).body);
    expect(left['deletionTimestamp']).toBeDefined();
    expect((await ask(`GET ${definition}`)).status).toBe(200);

    const body = { metadata: { finalizers: null } };
    await ask(`PATCH ${at}/held`, { body, type: mergePatch });
    expect((await ask(`GET ${definition}`)).status).toBe(404);
    expect((await ask(`GET ${at}`)).status).toBe(404);
  });

  it('leaves the version of its group registered for as long as another serves it', async () => {
    const first = await defined('two.example');
    const second = await defined('two.example', 'others');
    expect((await ask(`GET ${services}/v1.two.example`)).status).toBe(200);
    await ask(`DELETE ${first}`);
    expect((await ask(`GET ${services}/v1.two.example`)).status).toBe(200);
    await ask(`DELETE ${second}`);
    expect((await ask(`GET ${services}/v1.two.example`)).status).toBe(404);
  });
});

describe('a definition that is served no more', () => {
  const served = (value: boolean) => [{ op: 'replace', path: '/spec/versions/0/served', value }];
  const type = 'application/json-patch+json';

  it('keeps its objects over a restart', async () => {
    const directory = temporaryFolder('withheld-');
    const body = { apiVersion: 'off.example/v1', kind: 'Thing', metadata: { name: 'a' } };
    const at = '/apis/off.example/v1/namespaces/default/things';
    const first = await openClient({ directory });
    const definition = await defined('off.example', 'things', first.ask);
    await first.ask(`POST ${at}`, { body });
    await first.ask(`PATCH ${definition}`, { body: served(false), type });
    await first.cluster.close();

    const second = await openClient({ directory });
    onTestFinished(() => second.cluster.close());
    expect((await second.ask(`GET ${at}/a`)).status).toBe(404);
    await second.ask(`PATCH ${definition}`, { body: served(true), type });
    expect((await second.ask(`GET ${at}/a`)).body).toMatchObject(body);
  });
});
