import { metadataOf, textIn } from '../pipeline/metadata.ts';
import { isRefusal, type Refusal, unknownResource } from '../refusal.ts';
import { objectIn } from './body.ts';
import { acted, subresourceOf } from './subresources.ts';
import type { Answer, Asked, World } from './world.ts';

/** The old way to bind a pod: the pod is named in the body, and not in the path. */
export async function boundByBody(asked: Asked, world: World): Promise<Answer | Refusal> {
  const of = world.store.collections.get('pods');
  const bytes = await asked.body();
  if (isRefusal(bytes)) return bytes;
  const sent = objectIn(bytes, asked.headers['content-type'], 'Binding');
  if (isRefusal(sent)) return sent;
  const name = textIn(metadataOf(sent), 'name') ?? '';
  if (of === undefined) return unknownResource;
  const action = subresourceOf(world.parts.rulesOf(of.kind, 'v1'), 'binding');
  if (action?.shape !== 'action') return unknownResource;
  const route = { ...asked.route, resource: 'pods', name, subresource: 'binding' };
  const body = () => Promise.resolve(bytes);
  return acted({ ...action, admittedAs: asked.of }, { ...asked, of, route, body }, world);
}
