import { isJsonObject, isList } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { placeOf } from '../ref.ts';
import type { ApiServer } from './api-server.ts';

/** The garbage collector's one sweep: what names owners of which none lives any more is deleted. */
export async function collectGarbage(server: ApiServer): Promise<boolean> {
  const objects = server.all();
  const living = new Set(objects.map(({ metadata }) => metadata.uid));
  const orphans = objects.filter((object) => {
    const owners = ownersOf(object);
    return owners.length > 0 && owners.every((uid) => !living.has(uid));
  });
  for (const orphan of orphans) {
    const { uid, deletionTimestamp } = orphan.metadata;
    if (deletionTimestamp !== undefined) continue;
    await server.objects.delete(placeOf(orphan, server.kinds), { uid });
  }
  return orphans.some(({ metadata }) => metadata['deletionTimestamp'] === undefined);
}

function ownersOf({ metadata }: KubeObject): readonly string[] {
  const owners = metadata['ownerReferences'];
  return (isList(owners) ? owners : []).flatMap((owner) =>
    isJsonObject(owner) && typeof owner['uid'] === 'string' ? [owner['uid']] : [],
  );
}
