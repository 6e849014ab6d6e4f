import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { brotliCompressSync, constants } from 'node:zlib';
import { KubeConfig } from '@kubernetes/client-node';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { fileOf, isPublished, publishedBy, publishedGroups } from './published-groups.ts';
import { reducedSwagger } from './reduced-swagger.ts';
import { undescribed } from './undescribed.ts';

export type Get = (path: string, accept?: string) => Promise<Buffer>;

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The files of this folder by name, uncompressed, as a running server would have them. */
export async function published(get: Get): Promise<ReadonlyMap<string, Buffer>> {
  const index = objectIn(await get('/openapi/v3'));
  const documented = Object.entries(objectAt(index, 'paths')).filter(([path]) => isPublished(path));
  const paths = documented.map(([path]) => path);
  const documents = await Promise.all(
    paths.map(async (path) => [path, await get(`/openapi/v3/${path}`)] as const),
  );
  const swagger = reducedSwagger(objectIn(await get('/openapi/v2')), isPublished);
  return new Map([
    ['index.json', json({ paths: Object.fromEntries(documented) })],
    ...documents.map(([path, bytes]) => [fileOf(path), bytes] as const),
    ['schemas.json', json(undescribed(documents.map(([, bytes]) => objectIn(bytes))))],
    ['openapi-v2.json', json(swagger)],
    ['discovery.json', json(await discovery(get))],
  ]);
}

async function discovery(get: Get): Promise<JsonObject> {
  const [core, others] = await Promise.all([get('/api', aggregated), get('/apis', aggregated)]);
  const { items = [] } = objectIn(others);
  const groups = Array.isArray(items) ? items.filter(isJsonObject) : [];
  const isServed = ({ metadata }: JsonObject) =>
    isJsonObject(metadata) && publishedGroups.has(String(metadata['name']));
  return { api: objectIn(core), apis: { ...objectIn(others), items: groups.filter(isServed) } };
}

function json(value: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function objectIn(bytes: Buffer): JsonObject {
  const value: unknown = JSON.parse(bytes.toString());
  if (!isJsonObject(value)) throw new Error('the server published no object');
  return value;
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

/** Asks as the current user of a kubeconfig does. */
export function getterOf(kubeconfig: string): Get {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const url = config.getCurrentCluster()?.server ?? '';
  return async (path, accept = 'application/json') => {
    const options = { headers: { accept } };
    await config.applyToHTTPSOptions(options);
    return new Promise((resolve, reject) => {
      const asked = request(`${url}${path}`, options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve(Buffer.concat(chunks))
            : reject(new Error(`${path}: ${answer.statusCode}`)),
        );
      });
      asked.on('error', reject);
      asked.end();
    });
  };
}

function compressed(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

if (import.meta.main) {
  const [kubeconfig] = process.argv.slice(2);
  if (kubeconfig === undefined) {
    process.stderr.write(
      `node make.ts KUBECONFIG\nthe server runs with ${publishedBy.join(' ')}\n`,
    );
    process.exit(2);
  }
  for (const [name, bytes] of await published(getterOf(kubeconfig))) {
    const file = new URL(`./${name}.br`, import.meta.url);
    writeFileSync(file, compressed(bytes));
    process.stdout.write(`${name}: ${bytes.length} -> ${readFileSync(file).length}\n`);
  }
}
