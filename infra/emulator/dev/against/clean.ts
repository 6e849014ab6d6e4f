import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { trouble } from '../../../cli/output.ts';
import { claim } from '../../../embedded-postgres/claim.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { ownMark } from './mark.ts';
import { folderFor } from './open-against.ts';
import { markedByOthers, type Others, removeMarked } from './remove.ts';
import { cleaning, refuseWithoutRights } from './rights-there.ts';

export type Cleaned = {
  /** The names of what went. */
  readonly gone: readonly string[];
  /** What is there of other state folders, which is not ours to remove: they may run. */
  readonly others: readonly Others[];
};

/** Removes what a killed one of this state folder has left there. */
export async function cleanAgainst({ path }: Kubeconfig, stateFolder: string): Promise<Cleaned> {
  const login = { kind: 'kubeconfig', path } as const;
  const folder = await folderFor(stateFolder, { path });
  const postgres = join(folder, 'postgres');
  await mkdir(postgres, { recursive: true, mode: 0o700 });
  const claimed = await claim(postgres);
  if (claimed.kind === 'taken') {
    throw trouble('it is still running', {
      where: `${folder}, by ${claimed.by}`,
      mend: 'end it by Ctrl-C: it removes what it made itself',
    });
  }
  const cluster = await openCluster({ login });
  try {
    await refuseWithoutRights(cluster, { path, verbs: cleaning, registersWebhooks: true });
    const mark = await ownMark(folder);
    const gone = await removeMarked(cluster, mark);
    return { gone, others: await markedByOthers(cluster, mark) };
  } finally {
    cluster.close();
    await claimed.release();
  }
}
