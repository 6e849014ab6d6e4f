import { unknownContainer } from '../kinds/pods/log.ts';
import { textIn } from '../pipeline/metadata.ts';
import { badRequest, notFound, type Refusal, refusal } from '../refusal.ts';
import { idOf } from '../served-kinds.ts';
import { keyOf, parsedBody } from '../store/stored.ts';
import type { Asked } from './world.ts';

export const reaching: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** Of a pod that runs nowhere what a real server says of one that no node has yet; then that there is nothing to be reached. */
export function unreachable({ of, route, query }: Asked): Refusal | undefined {
  const { name = '', namespace, subresource = '' } = route;
  if (idOf(of.kind) !== 'pods' || !reaching.has(subresource)) return undefined;
  const stored = of.find(keyOf(namespace, name));
  if (stored === undefined) return notFound({ ...of.kind, name });
  const pod = parsedBody(stored);
  const isOfContainer = subresource === 'exec' || subresource === 'attach';
  const no = isOfContainer ? unknownContainer(pod, query.get('container') ?? '') : undefined;
  if (no !== undefined) return no;
  const spec = pod['spec'];
  const node = typeof spec === 'object' && spec !== null ? textIn(spec as never, 'nodeName') : '';
  if (!node) return badRequest(`pod ${name} does not have a host assigned`);
  return refusal(501, { message: 'the emulated cluster runs no containers' });
}
