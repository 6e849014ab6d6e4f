import { listExpired } from '#shared/adapters/cluster/failure.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

/** A list is a snapshot handed out in pages; whoever is between two pages when it is compacted has lost the rest. */
export async function* paged(
  snapshot: readonly KubeObject[],
  { size, compactions }: { readonly size: number; readonly compactions: () => number },
): AsyncGenerator<KubeObject> {
  const atStart = compactions();
  for (const [index, object] of snapshot.entries()) {
    const isNextPage = index > 0 && index % size === 0;
    if (isNextPage && compactions() !== atStart) throw listExpired('the list was compacted');
    yield object;
  }
}
