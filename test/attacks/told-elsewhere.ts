/** Where an attack of the Notary client's tests cannot be played as it stands: the vector that plays it, or why none can. */
export type Elsewhere = { readonly vector: string } | { readonly why: string };

const pinned =
  "whom the target pins is its own settings', and an authority that it has seen in force takes a while to end";

/**
 * A clock cannot be moved over the network, nor can the target's settings; a beginning or an end within a second of now
 * has passed when it is asked for; and honest files that the target has from the vectors before need no server any more.
 */
export const toldElsewhere: Readonly<Record<string, Elsewhere>> = {
  'a root that has expired': { vector: 'a root that ended a day ago' },
  'a timestamp that has expired': { vector: 'a timestamp that ended a day ago' },
  'a snapshot that has expired': { vector: 'a snapshot that ended a day ago' },
  'a targets that has expired': { vector: 'a targets that ended a day ago' },
  'a freeze at what was true a month ago': { vector: 'a timestamp that ended a day ago' },
  'endless data instead of the snapshot, whose length is known': {
    vector: 'a snapshot that does not end',
  },
  'endless data instead of the targets, whose length is known': {
    vector: 'a targets that does not end',
  },
  'a target that is withheld': { vector: 'a targets that is withheld' },
  'a delegation with other bytes than the snapshot states': {
    vector: 'a delegation with other bytes than the snapshot states, from a server',
  },
  'mix and match: the old targets with the new snapshot': {
    vector: 'mix and match from a server: the old targets with the new snapshot',
  },
  'a delegation that nobody accepts': { vector: 'a delegation that the target does not accept' },
  'a delegation by who was not asked for his own delegations': {
    vector: 'a delegation of a delegate, which the target does not accept',
  },
  'a root certificate with a beginning that is to come': {
    vector: 'a root certificate that begins in two days',
  },
  'a version that only a stolen key could have signed, after its key was replaced': {
    vector: 'a version that only a stolen key could have signed, and what was true before it',
  },
  'a file so large that nobody should read it, though it is signed': {
    vector: 'a timestamp so large that nobody should read it, though it is signed',
  },
  'older targets under the successor of a pinned authority that has ended': { why: pinned },
  'a root by the successor of a pinned authority that has ended, which the root before it did not sign':
    { why: pinned },
  'what was kept, damaged, and a stranger in its place': {
    why: 'what the target has kept lies in its database, which nobody reaches over the network',
  },
};
