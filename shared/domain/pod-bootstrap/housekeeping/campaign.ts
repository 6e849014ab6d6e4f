import type { Owner } from './housed-pod.ts';
import { isKept } from './pace.ts';
import type { Reason } from './restart-settings.ts';

/** What its pods have in common. Another one of these, and it is another campaign. */
export type CampaignKey = {
  readonly owner: string;
  readonly template: string;
  readonly configurationHash: string;
  readonly bundleHash: string;
  readonly reason: Reason;
};

/** The pods of one owner being made anew, one after the other. An owner has one at a time. */
export type Campaign = CampaignKey & {
  readonly namespace: string;
  /** By which the owner is found when it has no pod. An older version has noted no name. */
  readonly by: Pick<Owner, 'apiVersion' | 'kind' | 'name'>;
  readonly state: 'open' | 'closed' | 'tripped';
  /** Every pod that the owner had when it opened: what is not among them was made since. */
  readonly known: readonly string[];
  /** The pod whose turn it is, until it is gone; the last one stays here when it is. */
  readonly intent: { readonly uid: string; readonly name: string };
  /** How many were to go so far, this one among them. */
  readonly count: number;
  /** How often it was begun for this cause: once more after it has tripped. */
  readonly tries: number;
};

/** As the store has it. */
export type KeptCampaign = Campaign & {
  /** Counts the writes: whoever writes says what it has read. */
  readonly revision: number;
  /** Until the intent's turn, below nothing where it has come; `undefined` where none is drawn, or it was taken. */
  readonly turnInMs: number | undefined;
  /** Since it was written. */
  readonly sinceMs: number;
};

/** How long the way from a pod to its replacement may take before somebody should look at it. */
const lateMs = 600_000;

/** Its pod does not go, or what comes for it does not get ready. Who waits for a turn is not late. */
export function isLate({
  state,
  turnInMs,
  sinceMs,
}: Pick<KeptCampaign, 'state' | 'turnInMs' | 'sinceMs'>): boolean {
  return state === 'open' && turnInMs === undefined && sinceMs >= lateMs;
}

export type Drawn = Pick<KeptCampaign, 'owner' | 'namespace' | 'state' | 'turnInMs'>;

/** Who stands in line for a turn that is worth something. */
export type InLine = {
  readonly uid: string;
  readonly namespace: string;
  readonly turnInMs: number;
};

/** In their order. Whose turn has passed, or was taken, waits for something else. */
export function lineAmong(begun: readonly Drawn[]): readonly InLine[] {
  return begun
    .flatMap(({ owner: uid, namespace, state, turnInMs }) =>
      state === 'open' && isKept(turnInMs) ? [{ uid, namespace, turnInMs }] : [],
    )
    .toSorted((one, other) => one.turnInMs - other.turnInMs);
}

export function isSameCampaign(one: CampaignKey, other: CampaignKey): boolean {
  return (
    one.owner === other.owner &&
    one.template === other.template &&
    one.configurationHash === other.configurationHash &&
    one.bundleHash === other.bundleHash &&
    one.reason === other.reason
  );
}
