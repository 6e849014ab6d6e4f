import { digestFor, publish } from '#test/support/tuf/publish.ts';
import { plan } from '#test/support/tuf/scene.ts';
import { bare, type Signer } from '#test/support/tuf/signer.ts';
import { urlOf, userNamespace } from './namespaces.ts';
import { appName, type Notary, type Outside } from './outside.ts';
import { podOf } from './pod.ts';
import { rootOf } from './root-of.ts';
import type { Play, Stage, Vector } from './vector.ts';

const sides = { evil: 'away-evil', twin: 'away-twin' } as const;
const held = { evil: 'held-evil', twin: 'held-twin' } as const;

/** As `imageTrust.notary.pins` has it: the root of the Notary that is there for the twin. */
export function pinnedAway(outside: Pick<Outside, 'run' | 'host' | 'pinned'>) {
  const { id } = bare(outside.pinned.privateKey);
  return { server: urlOf(outside, sides.twin), keyIds: [id] };
}

/** While the target cannot reach what its replicas share. What wants it to be there comes first: after an outage it is asked again only in a while. */
export async function awayVectors(outside: Outside): Promise<readonly Vector[]> {
  return [await anotherRoot(outside), await firstUse(outside)];
}

const images = ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '2.0'] as const;

function notaryBy(root: Signer): Notary {
  const signed = Object.fromEntries(images.map((tag) => [tag, digestFor(`away-${tag}`)]));
  const files = publish({ ...plan, root: { signers: [root] }, signed });
  return (gun, file) => (gun === appName ? files.get(file) : undefined) ?? 'absent';
}

function podTagged({ registry }: Outside, tag: string) {
  registry.keep('team/app', `away-${tag}`, `away-${tag}`);
  return podOf(`${appName}:${tag}@${digestFor(`away-${tag}`)}`);
}

/** What could not be kept would be believed again from anybody else; a root that is pinned is nobody's first use. */
async function firstUse(outside: Outside): Promise<Vector> {
  const notaries = { evil: notaryBy(await rootOf(appName)), twin: notaryBy(outside.pinned) };
  const playing =
    (side: keyof typeof sides): Play =>
    async (stage) => {
      stage.outside.notaries.set(sides[side], notaries[side]);
      return whileAway(stage, sides[side]);
    };
  return {
    name: 'a first use while the database is away',
    theme: 'away',
    needs: 'database',
    namespaces: Object.values(sides).map((side) => userNamespace(outside, side)),
    evil: playing('evil'),
    twin: playing('twin'),
  };
}

/** Whoever knows a root goes by it, with the database and without. */
async function anotherRoot(outside: Outside): Promise<Vector> {
  const known = notaryBy(await rootOf(appName));
  const notaries = { evil: notaryBy(await rootOf(appName)), twin: known };
  const showing = once((stage: Stage) => showEverywhere(stage, known));
  const playing =
    (side: keyof typeof held): Play =>
    async (stage) => {
      await showing(stage);
      stage.outside.notaries.set(held[side], notaries[side]);
      return whileAway(stage, held[side]);
    };
  return {
    name: 'another root than the one that was seen, while the database is away',
    theme: 'away',
    needs: 'database',
    namespaces: Object.values(held).map((side) => userNamespace(outside, side)),
    evil: playing('evil'),
    twin: playing('twin'),
  };
}

/** To all replicas that are asked in turns: each of the images is verified by another one. */
async function showEverywhere({ outside, admit }: Stage, notary: Notary): Promise<void> {
  for (const side of Object.values(held)) {
    outside.notaries.set(side, notary);
    for (const tag of images.filter((each) => each !== '2.0')) {
      const namespace = userNamespace(outside, side);
      const { admitted, said } = await admit({ namespace, object: podTagged(outside, tag) });
      if (!admitted) throw new Error(`${tag} is refused while the database is there: ${said}`);
    }
  }
}

async function whileAway({ outside, admit, cutOff }: Stage, side: string) {
  await cutOff?.(true);
  try {
    return await admit({
      namespace: userNamespace(outside, side),
      object: podTagged(outside, '2.0'),
    });
  } finally {
    await cutOff?.(false);
  }
}

function once<T>(work: (given: T) => Promise<void>): (given: T) => Promise<void> {
  const made: { done?: Promise<void> } = {};
  return (given) => {
    made.done ??= work(given);
    return made.done;
  };
}
