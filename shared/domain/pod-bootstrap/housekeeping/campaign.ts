import type { Owner } from './housed-pod.ts';
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
  /** Until the intent's turn; nothing where it has come. */
  readonly waitMs: number;
  /** Since it was written. */
  readonly sinceMs: number;
};

export function isSameCampaign(one: CampaignKey, other: CampaignKey): boolean {
  return (
    one.owner === other.owner &&
    one.template === other.template &&
    one.configurationHash === other.configurationHash &&
    one.bundleHash === other.bundleHash &&
    one.reason === other.reason
  );
}
