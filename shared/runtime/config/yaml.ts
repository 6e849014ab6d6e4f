import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';

/** What is wrong with the text itself, before anybody asks what it means. */
export type Flaw = {
  readonly offset: number;
  readonly expected: string;
  readonly found: string;
};

export type Parsed =
  | { readonly ok: true; readonly value: unknown; readonly page: Page }
  | { readonly ok: false; readonly flaws: readonly [Flaw, ...Flaw[]]; readonly page: Page };

export type Place = { readonly line: number; readonly column: number };

/** Where things stand on the page. */
export type Page = {
  at(offset: number): Place;
  /** Of the value at a decoder's path, or of what is nearest to it; of the key where that is asked for. */
  find(path: string, what: 'key' | 'value'): Place;
};

type Contents = Document.Parsed['contents'] | undefined;

/** One YAML document, each key once, with a bound on what aliases may unfold to. */
export function parseYaml(text: string): Parsed {
  const lines = new LineCounter();
  // Uniqueness is checked below: the library's own check is quadratic (25,000 keys take 3 s).
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    stringKeys: true,
    logLevel: 'silent',
  });
  const [document, second] = 'empty' in documents ? [] : documents;
  const page = pageOf(document?.contents, lines);
  if (document === undefined) return { ok: true, value: null, page };

  const [first, ...rest] = flaws(document, second);
  return first === undefined
    ? unfold(document, page)
    : { ok: false, flaws: [first, ...rest], page };
}

/** A few aliases are handy; a few dozen bytes that unfold to gigabytes are an attack. */
function unfold(document: Document.Parsed, page: Page): Parsed {
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: 100 }), page };
  } catch (cause: unknown) {
    const found = cause instanceof Error ? cause.message : String(cause);
    return { ok: false, flaws: [{ offset: 0, expected: 'few aliases', found }], page };
  }
}

function flaws(document: Document.Parsed, second: Document.Parsed | undefined): readonly Flaw[] {
  const broken = [...document.errors, ...document.warnings].slice(0, 20).map(flawOf);
  if (broken.length > 0) return broken;
  if (second !== undefined) {
    const [offset] = second.range;
    return [{ offset, expected: 'one document', found: 'another one, after ---' }];
  }
  return contentFlaws(document);
}

function flawOf({ pos: [offset], message }: YAMLError): Flaw {
  return { offset, expected: 'valid YAML', found: message };
}

function contentFlaws(document: Document.Parsed): readonly Flaw[] {
  const found: Flaw[] = [];
  visit(document, {
    Map: (_, map) => {
      found.push(...repeatedKeys(map));
    },
    Alias: (_, alias, ancestors) => {
      found.push(...aliasFlaws(alias, document, ancestors));
    },
  });
  return found;
}

function repeatedKeys(map: YAMLMap): readonly Flaw[] {
  const seen = new Set<string>();
  return map.items.flatMap(({ key }) => {
    const name = keyName(key);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ offset: start(key) ?? 0, expected: 'each key once', found: `${name} again` }];
  });
}

function aliasFlaws(
  alias: Alias,
  document: Document,
  ancestors: readonly unknown[],
): readonly Flaw[] {
  const target = alias.resolve(document);
  if (target !== undefined && !ancestors.includes(target)) return [];

  const expected = target === undefined ? 'an anchor before it' : 'an anchor outside of it';
  return [{ offset: start(alias) ?? 0, expected, found: `*${alias.source}` }];
}

function pageOf(contents: Contents, lines: LineCounter): Page {
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return {
    at,
    find: (path, what) => at(offsetOf(contents, path.replace(/^\$/, ''), { what, nearest: 0 })),
  };
}

type Search = { readonly what: 'key' | 'value'; readonly nearest: number };

/** Keys may hold dots (`app.kubernetes.io/name`), so that a path can only be read beside the document. */
function offsetOf(node: unknown, rest: string, search: Search): number {
  const nearest = start(node) ?? search.nearest;
  if (rest === '') return search.what === 'key' ? search.nearest : nearest;
  const step = isMap(node) ? keyStep(node, rest) : isSeq(node) ? indexStep(node.items, rest) : null;
  return step === null ? nearest : offsetOf(step.node, step.rest, { ...search, nearest: step.at });
}

type Step = { readonly node: unknown; readonly rest: string; readonly at: number } | null;

function keyStep(map: YAMLMap, rest: string): Step {
  const [longest] = map.items
    .filter(({ key }) => isFirstStep(keyName(key), rest))
    .sort((a, b) => keyName(b.key).length - keyName(a.key).length);
  if (longest === undefined) return null;

  const { key, value } = longest;
  return { node: value, rest: rest.slice(keyName(key).length + 1), at: start(key) ?? 0 };
}

function isFirstStep(name: string, rest: string): boolean {
  const next = rest.charAt(name.length + 1);
  return rest.startsWith(`.${name}`) && (next === '' || next === '.' || next === '[');
}

function indexStep(items: readonly unknown[], rest: string): Step {
  const [whole = '', index = ''] = /^\[(\d+)\]/.exec(rest) ?? [];
  const node = items[Number(index)];
  return whole === '' ? null : { node, rest: rest.slice(whole.length), at: start(node) ?? 0 };
}

function keyName(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function start(node: unknown): number | undefined {
  return isNode(node) || isAlias(node) ? (node as Node).range?.[0] : undefined;
}
