import type { Namespace } from '#shared/domain/namespace.ts';
import { asksNamespace, inTime, selects } from './concern.ts';
import type { Round } from './fuse.ts';
import type { Bound, Host } from './host.ts';
import { isAskedFor } from './trigger.ts';

/** Of the time that is left: the cache comes after it, and who then judges. */
const share = 1 / 4;

/**
 * One live read serves all functions of a review. While the cluster does not answer, what is remembered of the namespace
 * does, as long as it is somebody's: that it is nobody's only the cluster can say, since it may have been labelled a
 * moment ago.
 */
export function readingOnce(functions: readonly Bound[], round: Round): Host {
  const { host } = round;
  const { find, findLive } = host.namespaces;
  const remembered = async (name: string, cause: unknown): Promise<Namespace | undefined> => {
    const found = await find(name);
    if (!isOfOneOf(functions, found, round)) throw cause;
    const { uid } = round.asked;
    host.log.warn({ namespace: name, uid, err: cause }, 'a namespace is judged from memory');
    return found;
  };
  // One that is only slow has its say where nobody remembers it.
  const read = (name: string) => {
    const live = findLive(name);
    const soon = inTime(live, round, share).catch((cause: unknown) => remembered(name, cause));
    return Promise.any([live, soon]).catch(() => live);
  };
  let reading: ReturnType<typeof read> | undefined;
  const once = (name: string) => {
    reading ??= read(name);
    return reading;
  };
  return { ...host, namespaces: { find: once, findLive } };
}

function isOfOneOf(
  functions: readonly Bound[],
  namespace: Namespace | undefined,
  round: Round,
): boolean {
  return functions
    .filter(({ definition }) => isAskedFor(definition.trigger, round.asked))
    .some((bound) => asksNamespace(bound, round) && selects(bound, namespace, round));
}
