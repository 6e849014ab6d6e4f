import { isDeepStrictEqual } from 'node:util';
import { namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import { isFollowed, widgets } from './cast.ts';
import { isOf } from './cluster/state.ts';
import { rowsOf } from './database/judging.ts';
import { objectRun } from './database/ledger.ts';
import type { Processes } from './people/processes.ts';

/** When all is quiet: what each promise says of the end. */
export function judgeEnd(all: Processes): void {
  const { ledger } = all.world.database;
  for (const { resource } of [widgets, namespaces]) compareMirror(all, resource);
  const unpaid = ledger.unpaid();
  if (unpaid !== undefined) ledger.break(unpaid.sentence, unpaid.how);
  judgeSets(all);
  judgeExisting(all);
}

/** Of what somebody follows by now. */
function livingRows({ world, cast }: Processes, resource: string): readonly Row[] {
  return [...rowsOf(world.database.shelf, resource).values()]
    .filter(({ isDeleted }) => !isDeleted)
    .filter(({ namespace }) => resource !== widgets.resource || isFollowed(namespace, cast));
}

function compareMirror(all: Processes, resource: string): void {
  const { database, server } = all.world;
  const isWanted = ({ metadata }: KubeObject): boolean => {
    if (resource !== widgets.resource) return true;
    const isSelected = !all.cast.isSelected || metadata.labels?.['tier'] === 'web';
    return (
      isSelected && isFollowed(metadata.namespace, all.cast) && server.state.served !== undefined
    );
  };
  const objects = [...server.state.objects]
    .filter(isOf(resource))
    .map(([, object]) => object)
    .filter(isWanted);
  const rows = new Map(livingRows(all, resource).map((row) => [row.uid, row]));
  for (const object of objects) {
    const { uid = '', name, resourceVersion } = object.metadata;
    const row = rows.get(uid);
    rows.delete(uid);
    if (row !== undefined && isDeepStrictEqual(row.object, object)) continue;
    const held = row === undefined ? 'nothing' : `version ${row.resourceVersion}`;
    const is = `${uid} (${name}) is at version ${resourceVersion}`;
    database.ledger.break('mirror', `${is}, and the mirror has ${held} of it`);
  }
  for (const { uid, name } of rows.values()) {
    database.ledger.break('mirror', `${uid} (${name}) is gone, and the mirror has it still`);
  }
}

function judgeSets(all: Processes): void {
  const { ledger, namespacesChanged } = all.world.database;
  for (const { uid, namespace, name } of livingRows(all, widgets.resource)) {
    const { count, uids } = namespacesChanged.get(namespace) ?? { count: 0, uids: 0 };
    const wasThere = Number.parseInt(uid, 16) <= uids;
    const woken = all.cast.isFanned && wasThere ? ['follow', 'reach'] : ['follow'];
    const missed = woken.find((each) => ledger.lastRun(objectRun(each, uid, false)) <= count);
    if (missed === undefined) continue;
    const how = `no run of ${missed} for ${uid} (${name}) after its namespace ${namespace} changed`;
    ledger.break('fanOut', how);
  }
}

function judgeExisting(all: Processes): void {
  const { cast, setAt } = all;
  const { ledger } = all.world.database;
  if (cast.edition === 0) return;
  for (const { uid, name } of livingRows(all, widgets.resource)) {
    if (ledger.lastRun(objectRun('late', uid, false)) > setAt) continue;
    ledger.break('existing', `late was enabled, and never ran for ${uid} (${name})`);
  }
}
