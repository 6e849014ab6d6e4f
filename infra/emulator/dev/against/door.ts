import { namespaces } from '#shared/domain/kind.ts';
import type { Cluster, Target } from '#shared/ports.ts';
import { trouble } from '../../../cli/output.ts';
import type { Door } from '../install.ts';
import { markLabel, markOf } from './mark.ts';

type Keeping = { readonly mark: string; readonly say: (text: string) => void };

/** Nothing that was there before is touched, and no namespace is made for a role's sake. */
export function doorFor({ mark, say }: Keeping): Door {
  return async (target, cluster) => {
    await refuseAnother(target, cluster, mark);
    const { namespace, kind, name } = target;
    if (namespace === undefined || (await isThere(cluster, namespace))) return true;
    say(`there is no namespace ${namespace}: ${kind.kind} ${name} is left out`);
    return false;
  };
}

async function isThere(cluster: Cluster, name: string): Promise<boolean> {
  return (await cluster.find({ kind: namespaces, name })) !== undefined;
}

/** Throws where it is somebody else's. */
export async function refuseAnother(target: Target, cluster: Cluster, mark: string): Promise<void> {
  const found = await cluster.find(target);
  if (found === undefined || markOf(found) === mark) return;
  const { namespace, name, kind } = target;
  const where = `${kind.kind} ${namespace === undefined ? '' : `${namespace}/`}${name} is not ours`;
  const other = markOf(found);
  if (other === undefined) {
    throw trouble('a Gatehouse is installed in this cluster already', {
      where,
      mend: 'work against another cluster, or remove that installation first; nothing was changed there',
    });
  }
  throw trouble('another gatehouse dev works against this cluster', {
    where: `${where}: it is labelled ${markLabel}=${other}`,
    mend: [
      'end that one; or, where it was killed, run in its folder gatehouse dev --against … --clean;',
      `or, where the folder is lost, delete what is labelled ${markLabel}=${other} by kubectl`,
    ],
  });
}
