import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { type Client, openClient } from './emulated.ts';

const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes';
const service = '/api/v1/namespaces/default/services/kubernetes';
const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';

async function placesIn({ ask }: Client) {
  const read = async (path: string) => (await ask(`GET ${path}`)).body;
  return [
    at(await read(service), 'spec.ports.0.targetPort'),
    at(await read(endpoints), 'subsets.0.ports.0.port'),
    at(await read(slice), 'ports.0.port'),
  ];
}

function at(object: unknown, path: string): unknown {
  return path.split('.').reduce((inner: unknown, key) => Reflect.get(Object(inner), key), object);
}

it('a server that comes back at another port says so in its own endpoints', async () => {
  const directory = temporaryFolder('own-place-');
  const first = await openClient({ directory });
  const port = (client: Client) => Number(new URL(client.cluster.url).port);
  expect(await placesIn(first)).toEqual([port(first), port(first), port(first)]);
  await first.cluster.close();

  const second = await openClient({ directory });
  onTestFinished(() => second.cluster.close());
  expect(port(second)).not.toBe(port(first));
  expect(await placesIn(second)).toEqual([port(second), port(second), port(second)]);
});

it.each([service, endpoints, slice])(
  '%s is there again where somebody deletes it',
  async (path) => {
    const client = await openClient({});
    onTestFinished(() => client.cluster.close());
    const uid = async () => at((await client.ask(`GET ${path}`)).body, 'metadata.uid');
    const before = await uid();
    expect((await client.ask(`DELETE ${path}`)).status).toBe(200);
    await expect.poll(uid).toEqual(expect.any(String));
    expect(await uid()).not.toBe(before);
  },
);
