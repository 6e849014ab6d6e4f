import type { WatchEnd } from '#shared/domain/watched.ts';
import type { Dice } from '../dice.ts';
import type { Faults } from '../faults.ts';
import type { Process, Stage } from '../stage.ts';
import type { ClusterState } from './state.ts';
import type { OpenWatch } from './watch.ts';

/** One API server, as all processes see it. */
export type Server = {
  readonly state: ClusterState;
  readonly stage: Stage;
  readonly dice: Dice;
  readonly faults: Faults;
  /** It has streaming lists. */
  readonly streams: boolean;
  readonly watches: Set<OpenWatch>;
  /** By process and scope: the incarnation that it asked last. What it has in hand is no older. */
  readonly asked: Map<string, number>;
  /** By process and scope: whoever has an answer about a single object in hand. */
  readonly looking: Map<string, Process>;
  /** By scope: the revision of this history at which a look last found nobody, which no row tells. */
  readonly vain: Map<string, number>;
};

/** Ends some open watch in this way. */
export function endSome(server: Server, end: WatchEnd): boolean {
  const open = [...server.watches].filter(({ ended }) => ended === undefined);
  const [first, ...others] = open;
  if (first === undefined) return false;
  server.dice.pick([first, ...others]).ended = end;
  return true;
}

/** Whose question it was. */
export function askerName({ name }: Pick<Process, 'name'>, scope: string): string {
  return `${name} ${scope}`;
}
