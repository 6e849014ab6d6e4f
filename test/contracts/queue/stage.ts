import type { Delivery, Depth, Outgoing, Queue, Receiving } from '#events/queue.ts';

/** What an adapter must be able to do for a case; one that cannot says why. */
export type Ability =
  /** Sends that exist when somebody's transaction commits. */
  | 'transactions'
  /** A waiting message stands for another one. */
  | 'merging'
  | 'peek'
  /** Which group comes next is no matter of chance. */
  | 'fair-groups'
  /** A message that is given back was not received by that. */
  | 'uncounted-release'
  /** A purge leaves alone what somebody holds, and says how many it dropped. */
  | 'exact-purge'
  /** What may kill is received alone, and not before. */
  | 'alone'
  /** Knows for how long the oldest has been waiting. */
  | 'oldest';

/** An open queue that nobody else uses, or functions of it that nobody else uses. */
export type QueueUnderTest = {
  readonly queue: Queue;
  /** Three that this case has for itself. */
  readonly functions: readonly [string, string, string];
  /** Time goes on, by the clock of the queue. */
  advance(ms: number): Promise<void> | void;
  /** Where it has transactions. */
  begin?(): Promise<Transacting>;
  end?(): Promise<void>;
};

export type Transacting = {
  send(messages: readonly Outgoing[]): Promise<void>;
  commit(): Promise<void> | void;
  rollback(): Promise<void> | void;
};

/** One promise of the queue. */
export type Case = {
  readonly title: string;
  readonly needs?: readonly Ability[];
  readonly run: (stage: Stage) => Promise<void>;
};

/** The queue under test with the words that the cases are told in. */
export type Stage = Omit<QueueUnderTest, 'begin'> & {
  readonly name: string;
  begin(): Promise<Transacting>;
  message(group: string, body: string, more?: Partial<Outgoing>): Outgoing;
  /** To the first function, each body in its turn. */
  send(group: string, ...bodies: readonly string[]): Promise<void>;
  receive(more?: Partial<Receiving>): Promise<readonly Delivery[]>;
  /** Exactly one, or the case fails. */
  receiveOne(more?: Partial<Receiving>): Promise<Delivery>;
  /** Everything that there is, settled one after another. */
  drain(functions?: readonly string[]): Promise<readonly Delivery[]>;
  /** Sends, receives and buries one. Its id as a dead letter. */
  buryOne(group: string, body: string, why?: string): Promise<string>;
  depth(name?: string): Promise<Depth>;
};

export const visibilityMs = 30_000;

export function stageOn(under: QueueUnderTest): Stage {
  const { queue, functions } = under;
  const [name] = functions;
  const { receive, receiveOne, drain } = receivingFrom(under);
  const message: Stage['message'] = (group, body, more = {}) => {
    const eventId = `event of ${body.slice(0, 20).toWellFormed()}`;
    return { function: name, group, type: 'tested.v1', body, eventId, ...more };
  };
  const send: Stage['send'] = (group, ...bodies) =>
    queue.send(bodies.map((body) => message(group, body)));
  return {
    ...under,
    ...{ name, message, send, receive, receiveOne, drain },
    async begin() {
      if (under.begin === undefined) throw new Error('it has no transactions');
      return await under.begin();
    },
    async buryOne(group, body, why = 'why not') {
      await send(group, body);
      const { receipt } = await receiveOne();
      await queue.bury(receipt, why);
      const dead = await queue.listDead({ function: name, max: 100 });
      return dead.find((each) => each.body === body)?.id ?? '';
    },
    async depth(of = name) {
      const [depth] = (await queue.depth([of])).filter((each) => each.function === of);
      return depth ?? { function: of, waiting: 0, inFlight: 0, dead: 0, oldestSeconds: 0 };
    },
  };
}

/** For the first function, where nobody says for which: on SQS each of them costs calls of its own. */
function receivingFrom({ queue, functions: [name] }: QueueUnderTest) {
  const receive: Stage['receive'] = (more = {}) =>
    queue.receive({ functions: [name], max: 10, visibilityMs, waitMs: 0, ...more });
  return {
    receive,
    async receiveOne(more: Partial<Receiving> = {}) {
      // Room to show one too many; for each that there is room for, SQS is asked once.
      const [delivery, ...others] = await receive({ max: 2, ...more });
      if (delivery === undefined || others.length > 0) {
        throw new Error(`expected one, received ${others.length + (delivery ? 1 : 0)}`);
      }
      return delivery;
    },
    async drain(only: readonly string[] = [name]) {
      const all: Delivery[] = [];
      for (;;) {
        // Several of them at once, and not so many that most of what SQS is asked is in vain.
        const received = await receive({ functions: only, max: 3 });
        if (received.length === 0) return all;
        all.push(...received);
        await queue.settle(received.map(({ receipt }) => receipt));
      }
    },
  };
}

export function bodiesOf(deliveries: readonly { readonly body: string }[]): readonly string[] {
  return deliveries.map(({ body }) => body);
}

/** Of one group, in their order. */
export function bodiesIn(deliveries: readonly Delivery[], group: string): readonly string[] {
  return bodiesOf(deliveries.filter((delivery) => delivery.group === group));
}

export function groupsOf(deliveries: readonly Delivery[]): readonly string[] {
  return deliveries.map(({ group }) => group).toSorted();
}

export function receiptsOf(deliveries: readonly Delivery[]): readonly string[] {
  return deliveries.map(({ receipt }) => receipt);
}

/** `word1`, `word2`, … */
export function counted(word: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${word}${at + 1}`);
}
