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

type Waiting = { readonly domain: string; readonly since: number; begin(): void; refuse(): void };
type Line = <T>(host: string, work: () => Promise<T>) => Promise<T>;

/**
 * Two at a time, one of them at most of a domain that is slow, and one of a domain that has never answered: a thousand
 * names of one dead domain keep one. Who is slow waits behind who is not. What is asked for too late is not begun.
 */
export function openLine({ mostMs, lastsMs, slowMs }: LineOptions): Line {
  const running: string[] = [];
  let waiting: readonly Waiting[] = [];
  const slow = remembered();
  const answered = remembered();
  const isSlow = (domain: string) => performance.now() - slow.at(domain) < slowMs;
  const isFree = ({ domain }: Waiting) => {
    if (isSlow(domain)) return !running.some(isSlow);
    return answered.has(domain) || !running.includes(domain);
  };
  const next = () => {
    const free = waiting.filter(isFree);
    return free.find(({ domain }) => !isSlow(domain)) ?? free[0];
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
      running.push(first.domain);
      first.begin();
    }
  };
  const run = async <T>(domain: string, work: () => Promise<T>): Promise<T> => {
    const lasts = setTimeout(() => {
      slow.keep(domain);
      move();
    }, lastsMs);
    try {
      return await work();
    } finally {
      clearTimeout(lasts);
      if (!isSlow(domain)) answered.keep(domain);
      running.splice(running.indexOf(domain), 1);
      move();
    }
  };
  return <T>(host: string, work: () => Promise<T>) => {
    const domain = domainOf(host);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const begin = () => resolve(run(domain, work));
    const refuse = () => reject(late());
    waiting = [...waiting, { domain, since: performance.now(), begin, refuse }];
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
