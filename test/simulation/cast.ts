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
  /** Widgets of one namespace alone are followed, in every other edition: a roll-out has scopes that overlap. */
  readonly narrowed: 'never' | 'at-first' | 'later';
  /** Counts the roll-outs: from the first on there is one function more, and its trigger changes with each. */
  readonly edition: number;
};

const web = { matchLabels: { tier: 'web' } };

/** Where widgets are followed; `undefined` for everywhere. */
export function namespaceOf({ narrowed, edition }: Cast): string | undefined {
  if (narrowed === 'never') return undefined;
  return (edition % 2 === 0) === (narrowed === 'at-first') ? 'blue' : undefined;
}

export function subscriptionsOf(cast: Cast): readonly Subscription[] {
  const { isSelected, edition } = cast;
  const namespace = namespaceOf(cast);
  const scope = {
    ...(isSelected ? ({ labels: web, atServer: true } as const) : {}),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const always: readonly Subscription[] = [
    { function: 'follow', watch: { of: widgets, ...scope } },
    {
      function: 'follow',
      watch: { of: namespaces, changed: ['/metadata/labels'], wakes: { all: widgets } },
    },
    {
      function: 'webs',
      watch: { of: widgets, ...scope, labels: web, changed: ['/spec', '/metadata/labels'] },
    },
    { function: 'teams', watch: { of: namespaces, labels: { matchLabels: { team: 'a' } } } },
  ];
  if (edition === 0) return always;
  // Another one each time: a trigger that comes back to what it was is none that changed.
  const changed = ['/spec', `/metadata/annotations/edition-${edition}`] as const;
  return [...always, { function: 'late', watch: { of: widgets, ...scope, changed } }];
}

export const functionNames = ['follow', 'webs', 'teams', 'late', 'tick'] as const;

export const periodSeconds = 15;

export const periods: readonly Period[] = [
  { message: periodMessage('tick'), everySeconds: periodSeconds },
];
