export type LineOptions = {
  /** Who has waited for longer is not looked up any more. */
  readonly mostMs: number;
  /** Whoever lasts longer is slow, and all of his domain with him, */
  readonly lastsMs: number;
  /** for that long. */
  readonly slowMs: number;
};

/** What libuv runs at a time. */
const mostRunning = 2;
const mostKnown = 10_000;

/** `isUnanswered`: nobody answered for it a moment ago, so that it is slow, whatever its domain is. */
export type Asked = { readonly host: string; readonly isUnanswered: boolean };

type Turn = { readonly domain: string; readonly isUnanswered: boolean };
type Waiting = Turn & { readonly since: number; begin(): void; refuse(): void };
type Line = <T>(asked: Asked, work: () => Promise<T>) => Promise<T>;

/**
 * Two at a time, one of them at most that is slow or of a domain that is, and one of a domain that has never answered: a
 * thousand names of one dead domain keep one. Who is slow waits behind who is not. What is asked for too late is not begun.
 */
export function openLine({ mostMs, lastsMs, slowMs }: LineOptions): Line {
  const running: Turn[] = [];
  let waiting: readonly Waiting[] = [];
  const slow = remembered();
  const answered = remembered();
  const isSlow = ({ domain, isUnanswered }: Turn) =>
    isUnanswered || performance.now() - slow.at(domain) < slowMs;
  const isFree = (turn: Turn) => {
    if (isSlow(turn)) return !running.some(isSlow);
    const isOfSameDomain = (each: Turn) => each.domain === turn.domain && !each.isUnanswered;
    return answered.has(turn.domain) || !running.some(isOfSameDomain);
  };
  const next = () => {
    const free = waiting.filter(isFree);
    return free.find((turn) => !isSlow(turn)) ?? free[0];
  };
  const move = () => {
    const now = performance.now();
    const late = waiting.filter(({ since }) => now - since > mostMs);
    waiting = waiting.filter((each) => !late.includes(each));
    for (const each of late) each.refuse();
    while (running.length < mostRunning) {
      const first = next();
      if (first === undefined) return;
      waiting = waiting.filter((each) => each !== first);
      running.push(first);
      first.begin();
    }
  };
  const run = async <T>(turn: Turn, work: () => Promise<T>): Promise<T> => {
    const { domain, isUnanswered } = turn;
    const lasts = setTimeout(() => {
      // That one of its names hangs was known: the others, which may be anybody's, are asked for by themselves.
      if (!isUnanswered) slow.keep(domain);
      move();
    }, lastsMs);
    try {
      return await work();
    } finally {
      clearTimeout(lasts);
      if (!isSlow(turn)) answered.keep(domain);
      running.splice(running.indexOf(turn), 1);
      move();
    }
  };
  return <T>({ host, isUnanswered }: Asked, work: () => Promise<T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const begin = () => resolve(run(turn, work));
    const refuse = () => reject(late());
    const turn = { domain: domainOf(host), isUnanswered, since: performance.now(), begin, refuse };
    waiting = [...waiting, turn];
    move();
    return promise;
  };
}

/** Whose servers answer for it, as far as a name tells. */
function domainOf(host: string): string {
  return host.split('.').slice(-2).join('.');
}

/** The newest, with when. */
function remembered() {
  const known = new Map<string, number>();
  return {
    has: (domain: string) => known.has(domain),
    at: (domain: string) => known.get(domain) ?? Number.NEGATIVE_INFINITY,
    keep(domain: string) {
      known.delete(domain);
      known.set(domain, performance.now());
      const [oldest] = known.keys();
      if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
    },
  };
}

/** As the system says it of a server that did not answer. */
function late(): Error {
  return Object.assign(new Error('too many names are looked up'), { code: 'EAI_AGAIN' });
}
