import { type Files, publish } from '#test/support/tuf/publish.ts';
import { plan } from '#test/support/tuf/scene.ts';
import { signedAs } from './image-called.ts';
import { prefix, statedNamespace } from './namespaces.ts';
import type { Notary, Outside } from './outside.ts';
import { rootOf } from './root-of.ts';
import type { StatedNamespace } from './vector.ts';
import { type WrittenWorld, writtenWorld } from './written.ts';

/** What the files say of registry, Notaries and namespaces, as servers have it. */
export async function settleWorld(outside: Outside): Promise<ReadonlyMap<string, StatedNamespace>> {
  const { registry, notaries, namespaces } = writtenWorld();
  for (const [repository, tags] of Object.entries(registry)) {
    for (const [tag, names] of Object.entries(tags))
      outside.registry.keep(repository, tag, ...names);
  }
  keepEverywhere(outside, registry);
  await Promise.all(
    Object.entries(notaries).map(async ([name, collections]) => {
      outside.notaries.set(name, await notaryOf(collections));
    }),
  );
  return new Map(
    Object.entries(namespaces).map(([name, stated]) => [name, namespaceOf(name, stated, outside)]),
  );
}

/** Content has no home: whoever knows a digest finds it in every repository, as where an attacker may push. */
function keepEverywhere({ registry }: Outside, stated: WrittenWorld['registry']): void {
  const names = new Set(Object.values(stated).flatMap((tags) => Object.values(tags).flat()));
  for (const repository of Object.keys(stated)) {
    for (const name of names) registry.keep(repository, `only-${name}`, name);
  }
}

/** Each collection with a root of its own: whose name it bears is checked. */
export async function notaryOf(
  collections: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<Notary> {
  const published = await Promise.all(
    Object.entries(collections).map(async ([gun, tags]) => {
      const signed = Object.entries(tags).map(([tag, name]) => [tag, signedAs(name)]);
      const files = publish({
        ...plan,
        root: { signers: [await rootOf(gun)] },
        signed: Object.fromEntries(signed),
      });
      return [gun, files] as const;
    }),
  );
  const byGun: ReadonlyMap<string, Files> = new Map(published);
  return (gun, file) => byGun.get(gun)?.get(file) ?? 'absent';
}

function namespaceOf(
  name: string,
  { mode, ...stated }: Readonly<Record<string, string>>,
  { run, host, hidden }: Outside,
): StatedNamespace {
  const filled = Object.entries(stated).map(([key, value]) => {
    const url = value
      .replace('{host}', host)
      .replace('{hidden}', hidden)
      .replace('{port}', host.replace(/.*:/, ''))
      .replace('/n/', `/n/${run}/`);
    return [`${prefix}/${key}`, url];
  });
  return statedNamespace({ run }, name, mode, Object.fromEntries(filled));
}
