import type { ServerResponse } from 'node:http';
import type { Content } from './pushed-image.ts';
import type { Script } from './scripted-host.ts';

export type MemoryRegistry = {
  readonly script: Script;
  /** Under its digest, and under these tags. */
  keep(repository: string, content: Content, ...tags: readonly string[]): void;
  keepBlob(repository: string, content: Content): void;
};

/** Content by path, as a registry serves it. Who may see it, and what goes wrong, is for the script around it. */
export function memoryRegistry(): MemoryRegistry {
  const contents = new Map<string, Content>();
  return {
    keep: (repository, content, ...tags) => {
      for (const name of [content.digest, ...tags]) {
        contents.set(`/v2/${repository}/manifests/${name}`, content);
      }
    },
    keepBlob: (repository, content) => {
      contents.set(`/v2/${repository}/blobs/${content.digest}`, content);
    },
    script: (_, response, { path }) => {
      const found = contents.get(path);
      if (found === undefined) response.writeHead(404).end('{"errors":[]}');
      else send(response, found);
    },
  };
}

export function send(response: ServerResponse, { mediaType, bytes }: Content): void {
  response.writeHead(200, {
    'content-type': mediaType,
    // What is not to be believed.
    'docker-content-digest': `sha256:${'0'.repeat(64)}`,
  });
  response.end(bytes);
}

export const basicFor = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** What it asks of those whom it does not let in. */
export function guarded(
  script: Script,
  challenge: string,
  lets: (authorization: string | undefined) => boolean,
): Script {
  return (request, response, heard) => {
    if (lets(heard.authorization)) script(request, response, heard);
    else response.writeHead(401, { 'www-authenticate': challenge }).end();
  };
}
