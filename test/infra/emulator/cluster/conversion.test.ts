import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { issueCa, issueLeaf } from '#shared/adapters/certificates/issue.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { emulated, mergePatch, metadataOf } from './emulated.ts';
import { linesOf } from './watched.ts';

const { ask, namespace, cluster } = await emulated();

/** A `length` of version 2 is the `size` of version 1. */
async function converter() {
  const life = {
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  };
  const ca = await issueCa(life);
  const leaf = await issueLeaf({ ca, dnsNames: ['127.0.0.1'], ...life });
  const server = createServer(
    { cert: leaf.certificate, key: leaf.key },
    async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const review = JSON.parse(Buffer.concat(chunks).toString());
      const { uid, desiredAPIVersion, objects } = review.request;
      const convertedObjects = objects.map(
        (object: { spec: { size?: number; length?: number } }) => {
          const { size, length } = object.spec;
          const value = size ?? length;
          const spec = desiredAPIVersion.endsWith('v2') ? { length: value } : { size: value };
          return { ...object, apiVersion: desiredAPIVersion, spec };
        },
      );
      const answer = { uid, result: { status: 'Success' }, convertedObjects };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...review, response: answer }));
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, ca: ca.certificate, url: `https://127.0.0.1:${port}/convert` };
}

function definition({ ca, url }: { readonly ca: string; readonly url: string }): JsonObject {
  const schema = (key: string): JsonObject => ({
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { [key]: { type: 'integer' } } } },
    },
  });
  const clientConfig = { url, caBundle: Buffer.from(ca).toString('base64') };
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'ropes.example.io' },
    spec: {
      ...{ group: 'example.io', scope: 'Namespaced', names: { kind: 'Rope', plural: 'ropes' } },
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig, conversionReviewVersions: ['v1'] },
      },
      versions: [
        { name: 'v1', served: true, storage: true, schema: schema('size') },
        { name: 'v2', served: true, storage: false, schema: schema('length') },
      ],
    },
  };
}

const made = await converter();
afterAll(() => void made.server.close());

describe('an object whose versions a webhook converts', () => {
  let at = '';
  const type = (version: string) => ({ kind: 'Rope', apiVersion: `example.io/${version}` });
  const path = (version: string) => `/apis/example.io/${version}/namespaces/${at}/ropes`;

  beforeAll(async () => {
    at = await namespace();
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await ask(`POST ${definitions}`, { body: definition(made) })).status).toBe(201);
    await vi.waitFor(async () => expect((await ask(`GET ${path('v2')}`)).status).toBe(200), {
      timeout: 10_000,
    });
  });

  it('is written in one version, kept in another, and read in each', async () => {
    const body = { ...type('v2'), metadata: { name: 'r' }, spec: { length: 5 } };
    const written = await ask(`POST ${path('v2')}`, { body });
    expect(written.body).toMatchObject({ apiVersion: 'example.io/v2', spec: { length: 5 } });
    expect((await ask(`GET ${path('v1')}/r`)).body).toMatchObject({ spec: { size: 5 } });
    expect((await ask(`GET ${path('v2')}/r`)).body).toMatchObject({ spec: { length: 5 } });
    const listed = await ask(`GET ${path('v2')}`);
    expect(listed.body['items']).toMatchObject([
      { apiVersion: 'example.io/v2', spec: { length: 5 } },
    ]);
    expect(cluster.reading.find('ropes.example.io', { namespace: at, name: 'r' })).toMatchObject({
      ...{ apiVersion: 'example.io/v1', spec: { size: 5 } },
    });
  });

  it('is patched in the words of the version that is asked', async () => {
    await ask(`POST ${path('v1')}`, {
      body: { ...type('v1'), metadata: { name: 'p' }, spec: { size: 1 } },
    });
    const patched = await ask(`PATCH ${path('v2')}/p`, {
      body: { spec: { length: 7 } },
      type: mergePatch,
    });
    expect(patched.body).toMatchObject({ spec: { length: 7 } });
    expect((await ask(`GET ${path('v1')}/p`)).body).toMatchObject({ spec: { size: 7 } });
  });

  it('loses nothing where several patch it while the webhook thinks', async () => {
    await ask(`POST ${path('v1')}`, {
      body: { ...type('v1'), metadata: { name: 'many' }, spec: { size: 1 } },
    });
    const keys = ['a', 'b', 'c', 'd'];
    const patches = keys.map((key) =>
      ask(`PATCH ${path('v2')}/many`, {
        body: { metadata: { annotations: { [key]: 'y' } } },
        type: mergePatch,
      }),
    );
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await ask(`GET ${path('v1')}/many`);
    expect(metadataOf(body)['annotations']).toEqual({ a: 'y', b: 'y', c: 'y', d: 'y' });
  });

  it('is watched in the words of the version that is asked', async () => {
    const lines = await linesOf(cluster, `${path('v2')}?watch=1&fieldSelector=metadata.name%3Dw`);
    await ask(`POST ${path('v1')}`, {
      body: { ...type('v1'), metadata: { name: 'w' }, spec: { size: 3 } },
    });
    expect(await lines.next()).toMatchObject({
      ...{ type: 'ADDED', object: { apiVersion: 'example.io/v2', spec: { length: 3 } } },
    });
    lines.close();
  });
});
