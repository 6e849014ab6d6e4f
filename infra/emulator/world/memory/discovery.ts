import type { Received } from '#shared/adapters/cluster/exchange.ts';
import type { ApiServer } from './api-server.ts';

const notThere: Received = { status: 404, retryAfter: undefined, text: '404 page not found\n' };

/** `/apis`, `/apis/GROUP` and `/apis/GROUP/VERSION`, as far as the forwarder asks when a kind is not there. */
export function discovered({ kinds }: ApiServer, path: string): Received {
  const [, root = '', first, second] = path.split('/');
  if (first === undefined)
    return answer({ groups: kinds.all().map(({ group: name }) => ({ name })) });
  const [group, version] = root === 'api' ? ['', first] : [first, second];
  const inGroup = kinds.all().filter((kind) => kind.group === group);
  if (inGroup.length === 0) return notThere;
  if (version === undefined) {
    const versions = [...new Set(inGroup.map((kind) => kind.version))].map((each) => ({
      version: each,
    }));
    return answer({ preferredVersion: versions[0], versions });
  }
  const resources = inGroup
    .filter((kind) => kind.version === version)
    .map(({ resource, kind, namespaced }) => ({ name: resource, kind, namespaced }));
  return answer({ resources });
}

function answer(body: object): Received {
  return { status: 200, retryAfter: undefined, text: JSON.stringify(body) };
}
