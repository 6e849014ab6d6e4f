import type { Outage, Outside, OutsideAnswer, OutsideRefusal } from '#shared/domain/outside.ts';

/** Who was asked and did not say what we could use, and why: at an admission it is not told to whoever makes a pod. */
export type Unheard = {
  readonly host: string;
  readonly why: Outage | OutsideRefusal | 'status' | 'database';
  readonly about: string;
};

export type Listening = {
  readonly door: Outside;
  /** Since the last time, each once. */
  take(): readonly Unheard[];
};

/** Tells whom we wait for, where somebody watches. */
export function listening(door: Outside, progress?: (line: string) => void): Listening {
  const heard = new Map<string, Unheard>();
  let count = 0;
  return {
    door: {
      ...door,
      read: async (request) => {
        const host = URL.parse(request.url)?.host ?? 'somebody';
        count += 1;
        progress?.(`asking ${host} (${count})`);
        const answer = await door.read(request);
        const unheard = unheardIn(answer, host);
        if (unheard !== undefined) heard.set(JSON.stringify(unheard), unheard);
        return answer;
      },
    },
    take() {
      const taken = [...heard.values()];
      heard.clear();
      return taken;
    },
  };
}

/** Who says that something is not there, or not for us, was heard. */
function unheardIn(answer: OutsideAnswer, host: string): Unheard | undefined {
  if (answer.kind === 'answer') {
    const { status } = answer;
    const isFailing = status >= 500 || status === 429;
    return isFailing ? { host, why: 'status', about: `${status}` } : undefined;
  }
  const { why, about } = answer;
  // Whom nobody waits for any more, we have hung up on.
  if (why === 'given-up') return undefined;
  const prefix = `${host}: `;
  return { host, why, about: about.startsWith(prefix) ? about.slice(prefix.length) : about };
}

const sentences: Readonly<Record<Unheard['why'], (about: string) => string>> = {
  'no-address': (about) => `its name leads to no address (${about})`,
  'no-connection': (about) => `nothing answers there (${about})`,
  tls: (about) =>
    `nobody there is trusted by TLS (${about}); an authority of its own stands under ca of that host in imageTrust.hosts`,
  'broken-off': (about) => `it breaks off (${about})`,
  'too-slow': () => 'it does not answer in time',
  'given-up': () => 'it was not waited for',
  'bad-url': (about) => `it cannot be asked so (${about})`,
  'plain-http': (about) => `${about}; plainHttp of that host in imageTrust.hosts would`,
  address: (about) =>
    `it is at no address that may be asked (${about}); addresses of that host in imageTrust.hosts open it`,
  redirect: (about) => `it sends us where we do not go (${about})`,
  'too-large': (about) => `it says too much (${about})`,
  encoded: (about) => about,
  malformed: (about) => `it speaks no HTTP (${about})`,
  status: (about) => `it answers with ${about}`,
  database: (about) => `what the installation trusts cannot be read (${about})`,
};

export function unheardText({ host, why, about }: Unheard): string {
  return `${host}: ${sentences[why](about)}`;
}
