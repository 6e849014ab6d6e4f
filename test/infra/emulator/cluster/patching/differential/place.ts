import { widgets } from './kinds.ts';
import { type Server, serverAt } from './server.ts';

type Facts = { readonly url: string; readonly token: string; readonly ca: string };

/** A server with the custom kind, and a namespace of one's own. */
export async function withNamespace(
  facts: Facts,
  namespace: string,
): Promise<{ readonly server: Server; readonly namespace: string }> {
  const server = serverAt(facts);
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await server.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
  await server.ask('POST', definitions, { body: widgets.definition });
  const served = `/apis/${widgets.apiVersion}/namespaces/${namespace}/widgets`;
  for (let left = 300; left > 0; left -= 1) {
    if ((await server.ask('GET', served)).code === 200) return { server, namespace };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the custom kind is not served');
}
