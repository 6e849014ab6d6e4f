/** Beside what functions note of a scope: the indexes whose keys its rows have. No function is called so. */
export const indexRecord = '#indexes';

/** As they are noted. By their names: a maker of keys that changes its mind takes another one. */
export function indexNames(names: readonly string[]): string {
  return [...new Set(names)].toSorted().join();
}

/** Of all scopes that have what is asked for, what each has noted; `null` while its rows have yet to get the keys. */
export type NotedIndexes = readonly (string | null)[];

/** `unknown`: nothing that is not found by it is a fact. */
type State = 'made' | 'unknown' | 'undeclared';

function stateOf(name: string, noted: NotedIndexes): State {
  if (noted.includes(null)) return 'unknown';
  return noted.every((names) => `,${names},`.includes(`,${name},`)) ? 'made' : 'undeclared';
}

type Asked = { readonly resource: string; readonly name: string; readonly noted: NotedIndexes };

/** Of a list that is narrowed by an index: the version that one without would have, as far as that is true of it. */
export function versionByIndex(version: string, asked: Asked): string {
  switch (stateOf(asked.name, asked.noted)) {
    case 'made':
      return version;
    case 'unknown':
      return '';
    case 'undeclared':
      // A mistake of the function that asks, which a list of nothing would hide for ever.
      throw new Error(undeclared(asked));
  }
}

function undeclared({ resource, name, noted }: Asked): string {
  const declared = noted.find((names) => names !== '') ?? 'none';
  return `no watch of ${resource} declares the index ${name} (declared: ${declared}): correct the name in \
the function that lists by it, or declare it there; a forwarder of an earlier build does not know it yet`;
}
