import type { Store } from '#events/forwarder/ports.ts';
import { type Point, storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import type { Term } from '#shared/domain/mirrored.ts';
import { clusterName } from '../cast.ts';
import { outage } from '../outage.ts';
import type { Process } from '../stage.ts';
import { connect, type Database, refuseAway } from './database.ts';
import { judgeCommit, type Rows, rowsOf } from './judging.ts';

/** What one transaction found, for the comparison at its commit. */
type Begun = { readonly term: Term; readonly before: Rows };

/** The database, as one forwarder writes it. Each scope has a view of its own, so that a commit is known by its scope. */
export function storeFor(database: Database, by: Process): Store {
  const views = new Map<string, Store>();
  const of = (scope: string): Store => {
    const there = views.get(scope) ?? viewOf(database, by, scope);
    views.set(scope, there);
    return there;
  };
  return {
    claim: (scope, ...how) => of(scope).claim(scope, ...how),
    renew: (term, leaseMs) => of(term.scope).renew(term, leaseMs),
    release: (term) => of(term.scope).release(term),
    transact: (term, work) => of(term.scope).transact(term, work),
    untilCompany: () => of('').untilCompany(),
    moment: () => of('').moment(),
    backfills: (scope) => of(scope).backfills(scope),
    wokenBefore: () => of('').wokenBefore(),
    identity: () => of('').identity(),
    beginEpoch: (term, next) => of('').beginEpoch(term, next),
  };
}

/** Others run before these; the rest of a transaction is between two of them. */
const parkedAt: readonly Point[] = [
  ...(['claim', 'renew', 'release', 'identity', 'beginEpoch', 'backfills'] as const),
  ...(['begin', 'send', 'commit', 'committed'] as const),
];

function viewOf(database: Database, by: Process, scope: string): Store {
  const { stage, shelf, bug } = database;
  let begun: Begun | undefined;
  const open = () => {
    const sending = database.open();
    const commit = (): void => {
      sending.commit();
      if (begun !== undefined) judgeCommit(database, begun);
    };
    return { ...sending, commit };
  };
  const moments = momentsOf(database, by, scope);
  const at = async (point: Point): Promise<void> => {
    await moments(point);
    // What another scope of the kind committed since this one began is not its own.
    if (point === 'commit' && begun !== undefined)
      begun = { ...begun, before: rowsOf(shelf, scope) };
  };
  const store = storeInMemory({
    shelf,
    cluster: clusterName,
    now: stage.now,
    at,
    open,
    decisions: bug.store,
  });
  connect(database, by, store.disconnect);
  return {
    ...store,
    transact: (term, work) =>
      store.transact(term, (transaction) => {
        begun = { term, before: rowsOf(shelf, term.scope) };
        return work(bug.transaction?.(transaction, { shelf, scope }) ?? transaction);
      }),
  };
}

type Moments = (point: Point) => void | Promise<void>;

function momentsOf(database: Database, by: Process, scope: string): Moments {
  return (point) => {
    if (by.state === 'dead') throw outage('its process is dead');
    if (!parkedAt.includes(point)) return;
    const isAfter = point === 'committed';
    return database.stage.park({
      by,
      what: `${isAfter ? 'hears of its commit' : `database: ${point}`} ${scope}`,
      answer: () => {
        if (!isAfter) refuseAway(database);
        failSometimes(database, point);
      },
    });
  };
}

function failSometimes({ faults }: Database, point: Point): void {
  if (point === 'commit' && faults.strikes('transaction-fails', 0.05)) {
    throw outage('the transaction failed');
  }
  if (point === 'committed' && faults.strikes('commit-unanswered', 0.04)) {
    throw outage('committed, but nobody heard of it');
  }
}
