import type { Definition } from '#shared/define.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import type { EmulatedCluster } from '../cluster/emulated-cluster.ts';
import { applyFault, wordsOf } from '../world/faults/apply-fault.ts';
import { off } from '../world/faults/table.ts';
import type { KnownKinds } from '../world/known-kinds.ts';
import { asStated, makeAnew } from '../world/make-anew.ts';
import { wireKnobs } from '../world/memory/knobs.ts';
import { openRules } from '../world/memory/rules.ts';
import { noTroubles } from '../world/memory/troubles.ts';
import { realKnobs } from '../world/real/knobs.ts';
import type { RemoveNow } from '../world/real/remove-now.ts';
import { openReversing } from '../world/real/reversing.ts';
import { type Surroundings, troubled } from '../world/real/troubled.ts';
import { placeOf, type Ref } from '../world/ref.ts';
import { refuseHolder } from './goes-with.ts';
import { kindsHere } from './kinds-here.ts';

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
  readonly removeNow: RemoveNow;
  readonly troubling: Troubling;
  readonly definitions: () => readonly Definition[];
  readonly restart: () => Promise<void>;
  readonly say: (text: string) => void;
  /** By name: people and controllers have others. */
  readonly isOurs: (user: string) => boolean;
};

/** Takes a fault as JSON; throws, with the words for whoever wrote it, where it is none. What is turned is said. */
export function faultsOn(running: Running): (stated: unknown) => Promise<void> {
  const { cluster, admin, removeNow, troubling, definitions, restart, isOurs, say } = running;
  const { rules, troubles } = troubling.around;
  troubling.around.process.restart = restart;
  return async (stated) => {
    if (isJsonObject(stated) && stated['name'] === off) {
      takeBack(cluster, troubling);
      return say('fault: off, all that lasted are taken back');
    }
    const kinds = kindsHere(cluster, definitions());
    const knobs = realKnobs({
      ...{ kinds, cluster, troubles, restart, isOurs },
      functions: () => definitions().map(({ name }) => name),
      wire: wireKnobs(rules, kinds),
      recreate: (ref) => recreate({ admin, removeNow, kinds }, ref),
    });
    await applyFault(knobs, stated);
    if (isJsonObject(stated)) say(`fault: ${wordsOf(stated)}`);
  };
}

function takeBack({ faults }: EmulatedCluster, { around }: Troubling): void {
  around.rules.clear();
  Object.assign(around.troubles, noTroubles());
  faults.refuseNothing();
  faults.endSilence();
}

type Remade = Pick<Running, 'admin' | 'removeNow'> & { readonly kinds: KnownKinds };

/** It is asked beforehand whether it could be made: of a name that is taken that is told last of all. */
async function recreate({ admin, removeNow, kinds }: Remade, ref: Ref): Promise<void> {
  const place = placeOf(ref, kinds);
  const { kind } = place;
  await makeAnew({
    ...{ cluster: admin, place },
    async check(live) {
      await refuseHolder(live, admin);
      const write = await admin.create(kind, creatable(live), { dryRun: true });
      if (write.kind === 'busy') throw new Error(`it was left as it is: ${write.why}`);
    },
    remove: (live) => removeNow(place, live),
    make: (live) => admin.create(kind, creatable(live)),
  });
}

/** Containers for debugging are added to what runs, and never made with it. */
function creatable(live: KubeObject): KubeObject {
  const stated = asStated(live);
  if (live.kind !== 'Pod' || !isJsonObject(stated['spec'])) return stated;
  const { ephemeralContainers: _, ...spec } = stated['spec'];
  return { ...stated, spec };
}
