import type { Definition } from '#shared/define.ts';
import type { Cluster } from '#shared/ports.ts';
import type { EmulatedCluster } from '../cluster/emulated-cluster.ts';
import { applyFault } from '../world/faults/apply-fault.ts';
import { type KnownKinds, knownKinds } from '../world/known-kinds.ts';
import { wireKnobs } from '../world/memory/knobs.ts';
import { openRules } from '../world/memory/rules.ts';
import { noTroubles } from '../world/memory/troubles.ts';
import { realKnobs } from '../world/real/knobs.ts';
import { openReversing } from '../world/real/reversing.ts';
import { type Surroundings, troubled } from '../world/real/troubled.ts';
import { kindNamed, placeOf } from '../world/ref.ts';

/** What goes wrong around functions that run here, until somebody turns a knob: nothing. */
export type Troubling = {
  /** The function as it is run here. */
  dressed(definition: Definition): Definition;
  readonly around: Surroundings;
};

export function openTroubling(): Troubling {
  const troubles = noTroubles();
  const around: Surroundings = {
    rules: openRules(),
    troubles,
    reversing: openReversing(() => {
      troubles.isReversed = false;
    }),
    process: { restart: async () => {} },
    aheadMs: () => 0,
    running: { count: 0 },
  };
  return {
    around,
    dressed: (definition) =>
      definition.shape === 'reconcile' ? troubled(definition, around) : definition,
  };
}

type Running = {
  readonly cluster: EmulatedCluster;
  /** With all rights. */
  readonly admin: Cluster;
  readonly troubling: Troubling;
  readonly definitions: () => readonly Definition[];
  readonly restart: () => Promise<void>;
};

/** Takes a fault as JSON; throws, with the words for whoever wrote it, where it is none. */
export function faultsOn(running: Running): (stated: unknown) => Promise<void> {
  const { cluster, admin, troubling, definitions, restart } = running;
  const { rules, troubles } = troubling.around;
  troubling.around.process.restart = restart;
  return (stated) => {
    const kinds = knownKinds(definitions());
    const knobs = realKnobs({
      ...{ kinds, cluster, troubles, restart, isForwarder },
      functions: () => definitions().map(({ name }) => name),
      wire: wireKnobs(rules, kinds),
      recreate: (ref) => recreate(admin, kinds, ref),
    });
    return applyFault(knobs, stated);
  };
}

/** Controllers and people hear of all at once; what is ours is installed as an account. */
function isForwarder(user: string): boolean {
  return user.startsWith('system:serviceaccount:');
}

type Ref = Parameters<ReturnType<typeof realKnobs>['recreate']>[0];

/** The same name, another uid. */
async function recreate(admin: Cluster, kinds: KnownKinds, ref: Ref): Promise<void> {
  const place = placeOf(ref, kinds);
  const found = await admin.find(place);
  if (found === undefined) throw new Error(`there is no ${place.kind.kind} ${place.name}`);
  const {
    uid: _,
    resourceVersion: __,
    creationTimestamp: ___,
    managedFields: ____,
    ...metadata
  } = found.metadata;
  await admin.delete(place);
  const made = await admin.create(kindNamed(place.kind.kind, kinds), { ...found, metadata });
  if (made.kind !== 'written') throw new Error(`it was not made anew: ${made.kind}`);
}
