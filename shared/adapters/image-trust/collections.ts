import { isRefusalToAccount } from '#shared/domain/image-trust/judgement.ts';
import { isFresh, type Verdict } from '#shared/domain/image-trust/verdict.ts';
import { joining } from '../joining.ts';
import { openAlone } from './alone.ts';
import type { OwnAnchor } from './anchoring.ts';
import { asRemembered } from './as-believed.ts';
import { attempts } from './attempt.ts';
import { type Flight, openFlight, type Verdicts } from './flight.ts';
import { fly } from './fly.ts';
import type { Hangar, Looks, Verification } from './hangar.ts';
import { newest, weightWith } from './newest.ts';
import type { JudgeParts } from './parts.ts';
import { type Subject, verdictKey, type Wish } from './subject.ts';
import { tellingThrows } from './telling-throws.ts';
import { waitingRoom } from './waiting-room.ts';

export type Collections = {
  /** What is known and fresh, in memory or in what all replicas share. */
  recall(subject: Subject, wish: Wish): Promise<Verdict | undefined>;
  /** Asks whoever has to be asked, once for all who want to know at the same time. It outlives whoever asked. */
  verify(verification: Verification, wish: Wish): Promise<Verdict>;
  /** Whether what is still asked was not asked at once, since its namespace asks so much: what is late then is no outage. */
  hasWaited(verification: Verification, wish: Wish): boolean;
  forget(collection: string | undefined): void;
};

/** A call may be lost, and who is gone calls nobody. */
const usualLooks: Looks = { firstMs: 100, mostMs: 250 };

export function openCollections(
  parts: JudgeParts,
  attempt = attempts(),
  looks: Looks = usualLooks,
): Collections {
  const settings = () => parts.askable().settings;
  const hangar = {
    ...parts,
    attempt,
    looks,
    verdicts: asRemembered(newest<Verdict>(400_000, weightOf), { ...parts, settings }),
    anchors: newest<OwnAnchor>(mostOfRoots, ({ anchor }) => 1_000 + anchor.root.length),
    waiting: waitingRoom(),
  };
  parts.store.onRelease(hangar.waiting.call);
  const recalling = joining<Verdict | undefined>();
  return {
    recall: async (subject, wish) => {
      const key = verdictKey(subject, wish);
      const isGood = (verdict: Verdict | undefined) =>
        verdict !== undefined && isFresh(verdict, hangar.clock.now());
      const known = hangar.verdicts.find(key);
      if (isGood(known)) return known;
      return (await recalling.ask(key, () => stored(hangar, subject, wish), isGood)) ?? known;
    },
    ...openVerifying(hangar),
    forget(collection) {
      recalling.part();
      hangar.verdicts.drop((key) => collection === undefined || key.startsWith(collection));
    },
  };
}

/** For all who ask at the same time together; of many that are refused each asks anew, by himself. */
function openVerifying(hangar: Hangar): Pick<Collections, 'verify' | 'hasWaited'> {
  const flights = new Map<string, Flight>();
  const alone = openAlone(hangar);
  const joined = (key: string, { subject }: Verification, wish: Wish) => {
    const flight = flights.get(key);
    const known = hangar.verdicts.find(verdictKey(subject, wish));
    return flight?.join(wish, known) === true ? flight : undefined;
  };
  const begin = (key: string, wish: Wish, told: (flight: Flight) => Promise<Verdicts>) => {
    const flight = openFlight(wish);
    flights.set(key, flight);
    const done = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    // It is over before it is told of: whoever has to ask anew must not join it again.
    void tellingThrows(told(flight), hangar).finally(done).then(flight.land, flight.fail);
    return flight.verdictFor(wish);
  };

  const verifyAlone: Collections['verify'] = async (verification, wish) => {
    const { collection } = verification.subject;
    const claimed = alone.claimFor(collection, wish);
    const key = flightKey(claimed, verification);
    const known = joined(key, verification, wish);
    if (known !== undefined) return known.verdictFor(wish);
    const asked = { server: collection.server, wish };
    return begin(key, wish, (flight) =>
      alone.inTurn(flight, asked, () => fly(hangar, flight, { ...verification, claimed })),
    );
  };
  const verify: Collections['verify'] = async (verification, wish) => {
    const claimed = verification.subject.collection;
    const key = flightKey(claimed, verification);
    const known = joined(key, verification, wish);
    if (known === undefined) {
      return begin(key, wish, (flight) => fly(hangar, flight, { ...verification, claimed }));
    }
    const told = await known.verdictFor(wish);
    const isOurs = known.isBy(wish) || !isRefusalToAccount(told.judgement);
    // He would else wait for all before him, and with them whoever is not refused.
    return isOurs ? told : verifyAlone(verification, wish);
  };
  return {
    verify,
    hasWaited(verification, wish) {
      const claimed = alone.claimFor(verification.subject.collection, wish);
      const flight = flights.get(flightKey(claimed, verification));
      return flight !== undefined && alone.hasWaited(flight);
    },
  };
}

function flightKey({ key }: Subject['collection'], { isDryRun }: Verification): string {
  return `${key} ${isDryRun}`;
}

/** In letters: whoever has a Notary of his own chooses how long its roots are. */
const mostOfRoots = 64 * 1024 * 1024;

function weightOf({ judgement }: Verdict): number {
  return weightWith(judgement.kind === 'trusted' ? judgement.children : []);
}

async function stored(hangar: Hangar, subject: Subject, wish: Wish): Promise<Verdict | undefined> {
  const { store, attempt, verdicts } = hangar;
  const [found] = (await attempt(() => store.find(subject.collection, [wish])))?.value ?? [];
  if (found !== undefined) verdicts.keep(verdictKey(subject, wish), found);
  return found;
}
