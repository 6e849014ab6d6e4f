import type { Scenario } from '#infra/emulator/world/every-fault/scenario.ts';
import type { World } from '#infra/emulator/world/world.ts';

/** The ten faulty samples: what each does wrong, and what has to happen so that it matters. */
export const mistakes: readonly (readonly [mistake: string, name: string])[] = [
  ['acts on what the message says', 'copy-unseen'],
  ['is not idempotent', 'count-changes'],
  ['looks at no uid', 'release-by-name'],
  ['swallows a conflict', 'stamp-note'],
  ['writes what it knew a while ago', 'sum-notes'],
  ['does not look live before it deletes', 'evict-orphans'],
  ['forgets the tombstone', 'leave-room'],
  ['keeps state in its module', 'stamp-once'],
  ['reads the clock and dice itself', 'open-ticket'],
  ['appends to a list', 'list-names'],
];

export function fileOf(name: string, folder: '' | 'mended/'): URL {
  return new URL(`../../../fixtures/mistakes/${folder}${name}.ts`, import.meta.url);
}

export function note(name: string, text = 'hello', labels = {}) {
  const metadata = { namespace: 'notes', name, labels };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } };
}

function map(namespace: string, name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } };
}

function podOf(name: string) {
  const metadata = { namespace: 'notes', name: `pod-of-${name}`, labels: { note: name } };
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}

const isMade = { 'a note is made': (world: World) => world.apply(note('one')) };
const two = {
  'two notes are made': (world: World) => world.apply([note('one'), note('two')]),
};

/** Short, since each is played some hundred times. */
const stories: Readonly<Record<string, Pick<Scenario, 'objects' | 'steps'>>> = {
  'copy-unseen': {
    objects: [map('copies', 'another')],
    steps: { ...isMade, 'it goes': (world) => world.delete('ConfigMap notes/one') },
  },
  'count-changes': { objects: map('tallies', 'notes'), steps: isMade },
  'release-by-name': {
    objects: map('seats', 'another'),
    steps: {
      ...isMade,
      'it goes and comes again': (world) => world.recreate('ConfigMap notes/one'),
    },
  },
  'stamp-note': { steps: isMade },
  'sum-notes': { objects: map('tallies', 'notes'), steps: two },
  'evict-orphans': {
    steps: { 'a note and its pod come': (world) => world.apply([note('one'), podOf('one')]) },
  },
  'leave-room': {
    objects: map('rooms', 'blue'),
    steps: {
      'a note comes into a room': (world) => world.apply(note('one', 'hello', { room: 'blue' })),
      'it goes': (world) => world.delete('ConfigMap notes/one'),
    },
  },
  'stamp-once': { steps: isMade },
  'open-ticket': {
    steps: {
      'a note is made': (world) => world.apply(note('one', 'hello', { ticket: 'wanted' })),
    },
  },
  'list-names': { objects: map('tallies', 'notes'), steps: two },
};

export function scenarioOf(name: string, folder: '' | 'mended/'): Scenario {
  const story = stories[name];
  if (story === undefined) throw new Error(`no story is told of ${name}`);
  return { functions: [fileOf(name, folder)], ...story };
}
