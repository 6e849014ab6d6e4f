/** A promise that did not hold. */
export type Broken = { readonly sentence: Sentence; readonly how: string };

/** DESIGN §4, promises 1, 2, 3, 5 and 9, and those of the queue and the schedule. */
export const sentences = {
  mirror: 'no change is lost: the mirror equals the cluster',
  audit: 'no change is lost: the self-audit finds nothing',
  deletion: "every uid's deletion has a run that began after the commit of its tombstone",
  wake: 'for each function and object a run starts after the commit of the last event that woke it',
  fanOut: 'a change that concerns a set wakes each of the set after its commit',
  filter: 'an object matches a filter when it did before or does now',
  backwards: 'what successive runs read never goes back within an epoch',
  fenced: 'a writer whose term is over writes nothing',
  duplicate: 'duplicates carry the same event id: uid, version and type',
  existing: 'every object that existed when a function was enabled is run once at least',
  receipt: 'at most one receipt of a group is valid at a time',
  settle: 'only a valid receipt settles',
  suspect: 'what may have killed who ran it is given to empty hands, alone',
  order: 'within a group messages come in the order of their commits',
  wakeup: 'what went to the schedule runs when its time has come',
  period: 'every period runs on',
  quiet: 'when faults stop, everything becomes quiet',
} as const;

export type Sentence = keyof typeof sentences;
