import type { JsonObject } from '#shared/domain/json.ts';
import { ids, plain } from '../differential/normal.ts';

export type Found = { readonly kind: string; readonly item: JsonObject };

/** Word by what a server has made up. */
export type Words = Map<string, string>;

const letters = '[bcdfghjklmnpqrstvwxz2456789]';
const hash = new RegExp(`(?<=[-"])${letters}{6,10}(?!\\w|-[0-9a-f]{4}-)`, 'g');
const chosen = new RegExp(`([\\w.<>-]+-)(?<!kube-api-access-)(${letters}{5})(?![\\w-])`, 'g');
const podAddress = /\b10\.1\.\d+\.\d+\b/g;

/**
 * What a server makes up is called by its place instead: the same thing has the same word wherever it stands. The hashes of
 * templates are kept from look to look, in the order in which they were met.
 */
export function named(found: readonly Found[], hashes: Words): readonly Found[] {
  const hashed = found
    .map(replacing(podAddress, () => '<pod address>'))
    .map(replacing(hash, (made) => wordFor(made, hashes)));
  const words = wordsFor(hashed);
  const called = hashed.map(replacing(chosen, (made) => words.get(made) ?? made));
  const holders = new Map(
    called.map((each) => [uidOf(each), `<uid of ${each.kind} ${nameOf(each)}>`]),
  );
  return called.map(replacing(ids, (uid) => holders.get(uid) ?? '<uid of what is gone>'));
}

export function nameOf({ item }: Found): string {
  return String((item['metadata'] as JsonObject)['name']);
}

function uidOf({ item }: Found): string {
  return String((item['metadata'] as JsonObject)['uid']);
}

/** Names with an end by chance: counted in the order of all that is said of them, which is no matter of chance. */
function wordsFor(objects: readonly Found[]): Words {
  const said = new Map<string, string[]>();
  for (const { kind, item } of objects) {
    const shape = `${kind} ${JSON.stringify(plain(item)).replace(chosen, '$1')}`;
    for (const [made] of JSON.stringify(item).matchAll(chosen)) {
      said.set(made, [...(said.get(made) ?? []), shape].toSorted());
    }
  }
  const inOrder = [...said].toSorted(([, one], [, other]) => (one.join() < other.join() ? -1 : 1));
  const counts = new Map<string, Words>();
  return new Map(
    inOrder.map(([made]) => {
      const before = made.slice(0, -5);
      const words = counts.get(before) ?? new Map<string, string>();
      counts.set(before, words);
      return [made, `${before}${wordFor(made, words)}`];
    }),
  );
}

function wordFor(made: string, words: Words): string {
  const word = words.get(made) ?? `<${words.size + 1}>`;
  words.set(made, word);
  return word;
}

function replacing(pattern: RegExp, by: (made: string) => string) {
  return ({ kind, item }: Found): Found => {
    const text = JSON.stringify(item).replace(pattern, (made) => by(made));
    return { kind, item: JSON.parse(text) as JsonObject };
  };
}
