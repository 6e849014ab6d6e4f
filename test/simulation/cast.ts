import type { Subscription } from '#events/forwarder/followed.ts';
import { periodMessage } from '#events/messages.ts';
import type { Period } from '#events/schedule.ts';
import { type Kind, namespaces } from '#shared/domain/kind.ts';

export const clusterName = 'home';

/** A custom resource: it may go and come back, and change its version. */
export const widgets: Kind = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
  namespaced: true,
};

/** What the functions of a schedule wait for. */
export type Cast = {
  /** Widgets are watched by a selector: they may leave the scope and be there still. */
  readonly isSelected: boolean;
  /** There is one function more, which only sets of widgets wake. */
  readonly isFanned: boolean;
  /** Of every other edition: a roll-out has scopes that overlap, are split in two, or joined. */
  readonly reaches: readonly [even: Reach, odd: Reach];
  /** Counts the roll-outs: from the first on there is one function more, and its trigger changes with each. */
  readonly edition: number;
};

/** Where widgets are followed: everywhere in one scope, in one namespace, or in each by a scope of its own. */
export type Reach = 'all' | 'blue' | 'split';

const placesOf: Readonly<Record<Reach, readonly (string | undefined)[]>> = {
  all: [undefined],
  blue: ['blue'],
  split: ['blue', 'red'],
};

const web = { matchLabels: { tier: 'web' } };

export function reachOf({ reaches: [even, odd], edition }: Cast): Reach {
  return edition % 2 === 0 ? even : odd;
}

/** What nobody of this edition follows any more may be as it was. */
export function isFollowed(namespace: string | undefined, cast: Cast): boolean {
  return placesOf[reachOf(cast)].some((place) => place === undefined || place === namespace);
}

export function subscriptionsOf(cast: Cast): readonly Subscription[] {
  return [
    {
      function: 'follow',
      watch: { of: namespaces, changed: ['/metadata/labels'], wakes: { all: widgets } },
    },
    ...(cast.isFanned ? [reaching] : []),
    { function: 'teams', watch: { of: namespaces, labels: { matchLabels: { team: 'a' } } } },
    ...placesOf[reachOf(cast)].flatMap((namespace) => ofWidgets(namespace, cast)),
  ];
}

const reaching: Subscription = {
  function: 'reach',
  watch: { of: namespaces, changed: ['/metadata/labels'], wakes: { all: widgets } },
};

function ofWidgets(
  namespace: string | undefined,
  { isSelected, edition }: Cast,
): readonly Subscription[] {
  const scope = {
    ...(isSelected ? ({ labels: web, atServer: true } as const) : {}),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const always: readonly Subscription[] = [
    { function: 'follow', watch: { of: widgets, ...scope } },
    {
      function: 'webs',
      watch: { of: widgets, ...scope, labels: web, changed: ['/spec', '/metadata/labels'] },
    },
  ];
  if (edition === 0) return always;
  // Another one each time: a trigger that comes back to what it was is none that changed.
  const changed = ['/spec', `/metadata/annotations/edition-${edition}`] as const;
  return [...always, { function: 'late', watch: { of: widgets, ...scope, changed } }];
}

export const functionNames = ['follow', 'reach', 'webs', 'teams', 'late', 'tick'] as const;

export const periodSeconds = 15;

export const periods: readonly Period[] = [
  { message: periodMessage('tick'), everySeconds: periodSeconds },
];
