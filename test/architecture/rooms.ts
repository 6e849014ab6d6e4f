import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import type { Import, Source } from './source.ts';

/** Of the table in the house rules, one row each. */
export type Room =
  | 'domain'
  | 'ports'
  | 'define'
  | 'functions'
  | 'kinds'
  | 'events'
  | 'adapters'
  | 'runtime'
  | 'infra'
  | 'test';

const everything: readonly Room[] = [
  ...(['domain', 'ports', 'define', 'functions', 'kinds'] as const),
  ...(['events', 'adapters', 'runtime', 'infra', 'test'] as const),
];

const mayImport: Readonly<Record<Room, readonly Room[]>> = {
  domain: ['domain'],
  ports: ['domain'],
  define: ['domain', 'ports', 'kinds'],
  functions: ['domain', 'define', 'kinds'],
  kinds: ['domain', 'ports', 'kinds', 'events'],
  events: ['domain', 'ports', 'kinds', 'events'],
  adapters: ['domain', 'ports', 'adapters'],
  runtime: ['domain', 'ports', 'define', 'kinds', 'events', 'adapters', 'runtime'],
  infra: everything,
  test: everything,
};

export function roomOf(path: string): Room | undefined {
  if (path === 'shared/ports.ts') return 'ports';
  if (path === 'shared/define.ts') return 'define';
  if (path === 'events/kinds.ts') return 'kinds';
  const [top = '', sub = ''] = path.split('/');
  return everything.find((room) => room === (top === 'shared' ? sub : top));
}

/** The part of a room that has a package to itself: `adapters/cluster`, `events/sqs-queue`. */
function homeOf(path: string): string {
  const [top = '', sub = '', name = ''] = path.split('/');
  if (top === 'shared') return sub === 'adapters' ? `adapters/${stem(name)}` : stem(sub);
  return top === 'events' ? `events/${stem(sub)}` : top;
}

/** What a user's function is written against, and its tests; one of ours may be too. */
const ownFaces: Partial<Record<Room, readonly string[]>> = {
  functions: ['gatehouse/define'],
  test: ['gatehouse/define', 'gatehouse/testing'],
};

function isOwnFace(path: string, { from }: Import): boolean {
  const room = roomOf(path);
  return room !== undefined && ownFaces[room]?.includes(from) === true;
}

/** As a path from the root; nothing for a package. */
export function targetOf(path: string, { from }: Import): string | undefined {
  if (from.startsWith('#')) return from.slice(1);
  return from.startsWith('.') ? posix.join(posix.dirname(path), from) : undefined;
}

export function importsOutOfPlace(source: Source): readonly string[] {
  const room = roomOf(source.path);
  if (room === undefined) return ['stands in no room'];
  return source.imports.flatMap((each) => {
    const target = targetOf(source.path, each);
    return target === undefined
      ? packageOutOfPlace(source, room, each)
      : fileOutOfPlace(source.path, room, { each, target });
  });
}

type Aim = { readonly each: Import; readonly target: string };

function fileOutOfPlace(path: string, room: Room, { each, target }: Aim): readonly string[] {
  // What is no code of ours (package.json) belongs to no room.
  if (target.endsWith('.json')) return [];
  const there = roomOf(target);
  if (there === undefined || !mayImport[room].includes(there)) {
    return [`${room} may not import ${target}`];
  }
  return [
    ...(room === 'domain' ? betweenCapabilities(path, target) : []),
    ...(room === 'adapters' ? betweenAdapters(path, target, there) : []),
    ...(isTypesOnly(room) && !each.isType ? [`${room} may import only types of ${target}`] : []),
  ];
}

function isTypesOnly(room: Room): boolean {
  return room === 'ports' || room === 'define';
}

/** Words that no capability owns: several read registries. */
const ofAll: readonly string[] = ['registry'];

function betweenCapabilities(path: string, target: string): readonly string[] {
  const [own, other] = [path, target].map((each) => posix.dirname(each).split('/')[2]);
  if (own === undefined || other === undefined || own === other) return [];
  if (ofAll.includes(other)) return [];
  return [`a capability's words may not import another's: ${target}`];
}

/** What lies beside them belongs to no package, and to all of them. */
const besideAdapters = /^shared\/adapters\/[^/]+\.ts$/;

function betweenAdapters(path: string, target: string, there: Room): readonly string[] {
  if (there !== 'adapters' || homeOf(path) === homeOf(target)) return [];
  if (besideAdapters.test(target)) return [];
  return [`adapters may not import each other: ${target}`];
}

/** Which package may stand where, for the rooms that may not use any; the others are held to one home each. */
const packagesOf: Partial<Record<Room, (source: Source, name: string) => boolean>> = {
  domain: ({ path }, name) => name === 'zod' && path === 'shared/domain/decode.ts',
  ports: () => false,
  define: () => false,
  functions: ({ text }, name) => name === 'hono' && text.includes('defineEndpoint('),
  kinds: () => false,
  events: ({ path }, name) => eventPackages[name]?.some((home) => path.startsWith(home)) ?? false,
};

const eventPackages: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-sqs': ['events/sqs-queue'],
  postgres: ['events/postgres-queue'],
  'drizzle-orm': ['events/postgres-queue'],
};

const noBuiltins: readonly Room[] = ['domain', 'ports', 'define', 'functions', 'kinds'];

function packageOutOfPlace(source: Source, room: Room, each: Import): readonly string[] {
  if (isOwnFace(source.path, each)) return [];
  const { from } = each;
  const name = packageName(from);
  if (isBuiltin(from)) return noBuiltins.includes(room) ? [`${room} may not import ${from}`] : [];
  const isAllowed = packagesOf[room] ?? (() => true);
  return isAllowed(source, name) ? [] : [`${room} may not use the package ${name} here`];
}

function isBuiltin(from: string): boolean {
  return from.startsWith('node:') || builtinModules.includes(from);
}

export function packageName(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}

const twoHomes: readonly string[] = ['hono', 'zod', 'postgres', 'drizzle-orm', 'yaml'];

/** Replacing a package means opening one folder. */
export function packagesWithTwoHomes(sources: readonly Source[]): readonly string[] {
  const homes = new Map<string, Set<string>>();
  for (const { name, path } of sources.filter(isProduct).flatMap(packagesIn)) {
    homes.set(name, (homes.get(name) ?? new Set()).add(homeOf(path)));
  }
  return [...homes]
    .filter(([name, where]) => where.size > 1 && !twoHomes.includes(name))
    .map(([name, where]) => `${name} is used in ${[...where].sort().join(' and ')}`);
}

export function packagesIn({ path, imports }: Source) {
  return imports
    .filter((each) => !/^[#.]/.test(each.from) && !isBuiltin(each.from) && !isOwnFace(path, each))
    .map(({ from }) => ({ path, name: packageName(from) }));
}

function isProduct({ path }: Source): boolean {
  return /^(functions|shared|events)\//.test(path);
}

function stem(name: string): string {
  return name.replace(/\..*$/, '');
}

/** Inside a room relative, across rooms `#`: a border crossing can be searched for. */
export function importsInWrongStyle({ path, imports }: Source): readonly string[] {
  return imports.flatMap((each) => {
    const target = targetOf(path, each);
    if (target === undefined || target.endsWith('.json')) return [];
    // What Node loads before it can read ours is plain JavaScript.
    return /\.(ts|mjs)$/.test(target)
      ? wrongBorder(path, { each, target })
      : [`import ${each.from} with its .ts ending`];
  });
}

function wrongBorder(path: string, { each: { from }, target }: Aim): readonly string[] {
  const isRelative = from.startsWith('.');
  if (isRelative && crosses(path, target)) return [`import ${from} as #${target}`];
  return isRelative || !isInside(path, target) ? [] : [`import ${from} by a relative path`];
}

/** Down is no crossing: `shared/define.ts` names `./domain/…`. */
function crosses(path: string, target: string): boolean {
  return broadRoom(path) !== broadRoom(target) && !target.startsWith(`${posix.dirname(path)}/`);
}

function isInside(path: string, target: string): boolean {
  return narrowRoom(path) === narrowRoom(target);
}

function broadRoom(path: string): string {
  const [top = '', sub = ''] = path.split('/');
  return top === 'shared' ? `shared/${stem(sub)}` : top;
}

/** Between the folders of `infra` and of `test`, both ways of writing are good. */
function narrowRoom(path: string): string {
  const [top = '', sub = ''] = path.split('/');
  return top === 'infra' || top === 'test' ? `${top}/${stem(sub)}` : broadRoom(path);
}
