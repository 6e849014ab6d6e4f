import { dial, type Kept } from './kept.ts';

/** What a caller is told of the world, always a little late. */
export type Known = {
  readonly serverName: string;
  readonly ca: string;
  /** Ports of the endpoints that are ready, as far as it has heard. */
  readonly ports: readonly number[];
};

export type Pool = {
  /** One that is idle, or the first to be given back or dialled from now on, as in Go's transport. */
  acquire(port: number): Promise<Kept>;
  release(kept: Kept): void;
  dialAnew(port: number): Promise<Kept>;
  /** Ports with an idle connection, whether anybody still announces them or not. */
  ports(): readonly number[];
  dialled(): number;
};

/** Go's transport closes what nobody used for so long. */
const idleMillis = 90_000;
/** client-go keeps no more idle ones for a host. */
const idleAtMost = 25;

type Idle = { readonly kept: Kept; readonly timer: NodeJS.Timeout };
type Place = { readonly idle: Idle[]; readonly waiting: PromiseWithResolvers<Kept>[] };

/** All connections that were verified against one bundle; another bundle is another pool, as in client-go. */
export function openPool({ serverName, ca }: Pick<Known, 'serverName' | 'ca'>): Pool {
  const places = new Map<number, Place>();
  let dialled = 0;

  const at = (port: number): Place => {
    const place = places.get(port) ?? { idle: [], waiting: [] };
    places.set(port, place);
    return place;
  };
  const takeIdle = ({ idle }: Place): Kept | undefined => {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      clearTimeout(last.timer);
      if (last.kept.isOpen()) return last.kept;
    }
    return undefined;
  };
  const release = (kept: Kept): void => {
    if (!kept.isOpen()) return;
    const { idle, waiting } = at(kept.port);
    const next = waiting.shift();
    if (next !== undefined) next.resolve(kept);
    else if (idle.length >= idleAtMost) kept.close();
    else idle.push({ kept, timer: setTimeout(() => kept.close(), idleMillis).unref() });
  };
  const dialAnew = (port: number): Promise<Kept> => {
    dialled += 1;
    return dial({ port, serverName, ca });
  };
  return {
    release,
    dialAnew,
    async acquire(port) {
      const place = at(port);
      const found = takeIdle(place);
      if (found !== undefined) return found;

      const wanted = Promise.withResolvers<Kept>();
      place.waiting.push(wanted);
      dialAnew(port).then(release, (cause: unknown) => {
        const index = place.waiting.indexOf(wanted);
        if (index >= 0) place.waiting.splice(index, 1);
        wanted.reject(cause);
      });
      return wanted.promise;
    },
    ports: () =>
      [...places].flatMap(([port, { idle }]) =>
        idle.some(({ kept }) => kept.isOpen()) ? [port] : [],
      ),
    dialled: () => dialled,
  };
}
