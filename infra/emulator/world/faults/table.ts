import {
  choice,
  type Decoder,
  either,
  flag,
  integer,
  integerFrom,
  maybe,
  strictRecord,
  text,
} from '#shared/domain/decode.ts';
import { type Knobs, whose } from './knobs.ts';
import { verbs } from './verbs.ts';

/** Where a fault is at home. */
export type FaultPart =
  | 'api-server'
  | 'watch'
  | 'request'
  | 'queue'
  | 'process'
  | 'mirror'
  | 'clock';

/** One knob as data: for the command line, for HTTP, and for whoever reads what there is. */
export type Fault = {
  readonly name: keyof Knobs;
  readonly at: FaultPart;
  /** One sentence: what goes wrong. */
  readonly breaks: string;
  /** When it is over by itself, or by what, where that is not at once; `off` of a running gatehouse dev ends each. */
  readonly until?: string;
  /** The arguments, as JSON has them: `kind, forMs?`. */
  readonly takes: readonly Argument[];
  /** `undefined` where the arguments are good; they are checked before anything is turned. */
  readonly call: Call;
};

export type Argument = {
  readonly name: string;
  readonly isOptional: boolean;
  readonly about: string;
};

export type Call = {
  readonly decoder: Decoder<unknown>;
  turn(knobs: Knobs, stated: unknown): Promise<void>;
};

/** Holds a decoder and what is done with what it decodes together. */
function call<T>(decoder: Decoder<T>, turn: (knobs: Knobs, stated: T) => Promise<void>): Call {
  // What comes back is what this very decoder has made.
  return { decoder, turn: (knobs, stated) => turn(knobs, stated as T) };
}

const times = argument('times?', 'how often; once where it is left out');
const kind = argument('kind?', 'Pod, pods, deployments.apps; all where it is left out');
const after = argument('after?', 'so many that fit are let through first');
const verb = argument('verb?', `${verbs.join(', ')}; any write where it is left out`);
const count = integerFrom(1, 1_000);
const skipped = integerFrom(0, 1_000);
const user = argument(
  'user?',
  `whose watches: ${whose.join(' or ')}; gatehouse where it is left out`,
);
const byWhom = maybe(choice(...whose));
const aKind = strictRecord({ kind: text, user: byWhom });
const maybeKind = strictRecord({ kind: maybe(text), user: byWhom });
const nothing = strictRecord({});
const milliseconds = integerFrom(1, 86_400_000);
const aim = {
  verb: maybe(choice(...verbs)),
  kind: maybe(text),
  times: maybe(count),
  after: maybe(skipped),
};

/** Named in the place of a fault, where the emulator runs: takes back all that last. */
export const off = 'off';

/** Every fault that there is. Closed: what is not in it cannot be turned. */
export const faults: readonly Fault[] = [
  {
    name: 'gone',
    at: 'watch',
    breaks: 'The watch of a kind is told 410 Gone: everything of it has to be listed anew.',
    takes: [argument('kind', 'Pod, pods, deployments.apps'), user],
    call: call(aKind, (knobs, stated) => knobs.gone(stated.kind, stated.user)),
  },
  {
    name: 'compact',
    at: 'api-server',
    breaks: 'The API server forgets what was until now: a watch from an older version is refused.',
    takes: [],
    call: call(nothing, (knobs) => knobs.compact()),
  },
  {
    name: 'dropWatches',
    at: 'watch',
    breaks: 'Watches end in good order, as when an API server drains.',
    takes: [kind, user],
    call: call(maybeKind, (knobs, stated) => knobs.dropWatches(stated.kind, stated.user)),
  },
  {
    name: 'halfOpen',
    at: 'watch',
    breaks: 'Watches fall silent and stay connected.',
    until: 'Gatehouse misses the bookmarks and opens others, after forwarder.idleMs (two minutes)',
    takes: [kind, user],
    call: call(maybeKind, (knobs, stated) => knobs.halfOpen(stated.kind, stated.user)),
  },
  {
    name: 'slow',
    at: 'request',
    breaks: 'The next write takes so long to arrive, and others overtake it.',
    until: 'it has struck so often',
    takes: [argument('ms', 'how long'), verb, kind, times, after],
    call: call(strictRecord({ ms: milliseconds, ...aim }), (knobs, { ms, ...aimed }) =>
      knobs.slow(ms, aimed),
    ),
  },
  {
    name: 'fail',
    at: 'request',
    breaks:
      'The API server refuses a function’s request or a watch, or does it and its answer gets lost.',
    until: 'it has struck so often',
    takes: [
      argument('code', 'an HTTP status from 400 to 599, or lost'),
      verb,
      kind,
      times,
      after,
      user,
    ],
    call: call(
      strictRecord({ code: either(integerFrom(400, 599), choice('lost')), ...aim, user: byWhom }),
      (knobs, stated) => knobs.fail(stated),
    ),
  },
  {
    name: 'conflict',
    at: 'request',
    breaks: 'Updates and patches are answered by 409 Conflict: somebody wrote first.',
    until: 'it has struck so often',
    takes: [times],
    call: call(strictRecord({ times: maybe(count) }), (knobs, stated) =>
      knobs.conflict(stated.times),
    ),
  },
  {
    name: 'duplicate',
    at: 'queue',
    breaks: 'A message comes twice: again afterwards, or both at once.',
    until: 'it has struck so often',
    takes: [argument('atOnce?', 'true: both at once'), times],
    call: call(strictRecord({ atOnce: maybe(flag), times: maybe(count) }), (knobs, stated) =>
      knobs.duplicate(stated),
    ),
  },
  {
    name: 'reorderGroups',
    at: 'queue',
    breaks: 'Objects are worked on in the reverse order, until all is settled.',
    until: 'all is settled',
    takes: [],
    call: call(nothing, (knobs) => knobs.reorderGroups()),
  },
  {
    name: 'coldStart',
    at: 'process',
    breaks: 'The next run of each function begins so much later than its message was taken.',
    until: 'each function has run once',
    takes: [argument('ms', 'how much later')],
    call: call(strictRecord({ ms: milliseconds }), (knobs, stated) => knobs.coldStart(stated.ms)),
  },
  {
    name: 'killAfterHandler',
    at: 'process',
    breaks: 'The process dies after a handler has ended and before its message is settled.',
    until: 'it has struck so often',
    takes: [times],
    call: call(strictRecord({ times: maybe(count) }), (knobs, stated) =>
      knobs.killAfterHandler(stated.times),
    ),
  },
  {
    name: 'recreate',
    at: 'api-server',
    breaks: 'An object is deleted and made again at once: the same name, another uid.',
    takes: [argument('ref', 'ConfigMap team-a/settings')],
    call: call(strictRecord({ ref: text }), (knobs, stated) => knobs.recreate(stated.ref)),
  },
  {
    name: 'staleMirror',
    at: 'mirror',
    breaks: 'The mirror hears of a kind some seconds late: another kind’s news come first.',
    until: 'forMs is over',
    takes: [kind, argument('forMs?', 'how late; 5000 where it is left out')],
    call: call(strictRecord({ kind: maybe(text), forMs: maybe(milliseconds) }), (knobs, stated) =>
      knobs.staleMirror(stated.kind, stated.forMs),
    ),
  },
  {
    name: 'skewClock',
    at: 'clock',
    breaks: 'The functions’ clock is ahead by so much, or behind where it is negative.',
    until: 'it is turned to ms=0',
    takes: [argument('ms?', 'how much; 30000 where it is left out')],
    call: call(strictRecord({ ms: maybe(integer) }), (knobs, stated) => knobs.skewClock(stated.ms)),
  },
  {
    name: 'restartAll',
    at: 'process',
    breaks: 'Every process is killed and started anew; what they kept in memory is lost.',
    takes: [],
    call: call(nothing, (knobs) => knobs.restartAll()),
  },
];

function argument(name: string, about: string): Argument {
  const isOptional = name.endsWith('?');
  return { name: isOptional ? name.slice(0, -1) : name, isOptional, about };
}
