import type { Ask } from '#shared/adapters/cluster/ask.ts';
import { type Decoder, decode, flag, list, optional, record, text } from '#shared/domain/decode.ts';
import type { Kind } from '#shared/domain/kind.ts';

/** Every kind that is served, in one version each. */
export type Discovered = {
  readonly kinds: readonly ServedKind[];
  /** Groups that could not be asked: what they hold is unknown. */
  readonly failures: readonly string[];
};

export type ServedKind = Kind & { readonly verbs: readonly string[] };

const version = record({ groupVersion: text, version: text });
const groups = record({
  groups: list(record({ name: text, versions: list(version), preferredVersion: version })),
});
const resources = record({
  resources: list(
    record({
      name: text,
      kind: text,
      namespaced: optional(flag, false),
      verbs: optional(list(text), []),
    }),
  ),
});

export async function discover(ask: Ask): Promise<Discovered> {
  const found = await read(ask, '/apis', groups);
  if (found === undefined) throw new Error('cannot discover the groups of the API');
  const core = await versionOf(ask, { group: '', version: 'v1', path: '/api/v1' });
  const others = await Promise.all(found.groups.map((group) => groupOf(ask, group)));
  const all = [core, ...others.flat()];
  return {
    kinds: all.flatMap(({ kinds }) => kinds),
    failures: all.flatMap(({ failure }) => failure ?? []),
  };
}

type Asked = { readonly group: string; readonly version: string; readonly path: string };
type Answered = { readonly kinds: readonly ServedKind[]; readonly failure?: string };
type Group = {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion: { readonly version: string };
};

/** A resource is taken in the preferred version, or in the first other one that has it. */
async function groupOf(ask: Ask, group: Group): Promise<readonly Answered[]> {
  const preferred = group.preferredVersion.version;
  const others = group.versions.map(({ version }) => version).filter((each) => each !== preferred);
  const answers: Answered[] = [];
  const known = new Set<string>();
  for (const version of [preferred, ...others]) {
    const path = `/apis/${group.name}/${version}`;
    const { kinds, ...rest } = await versionOf(ask, { group: group.name, version, path });
    answers.push({ kinds: kinds.filter(({ resource }) => !known.has(resource)), ...rest });
    for (const { resource } of kinds) known.add(resource);
  }
  return answers;
}

async function versionOf(ask: Ask, { group, version, path }: Asked): Promise<Answered> {
  const found = await read(ask, path, resources).catch(() => undefined);
  if (found === undefined) return { kinds: [], failure: `${group}/${version}` };
  const whole = found.resources.filter(({ name }) => !name.includes('/'));
  return {
    kinds: whole.map(({ name, ...rest }) => ({ group, version, resource: name, ...rest })),
  };
}

async function read<T>(ask: Ask, path: string, shape: Decoder<T>): Promise<T | undefined> {
  const answer = await ask({ what: `discover ${path}`, method: 'GET', path });
  if (answer.status !== 200) return undefined;
  const decoded = decode(shape, answer.body);
  return decoded.ok ? decoded.value : undefined;
}
