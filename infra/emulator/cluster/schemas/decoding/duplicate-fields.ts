/** `spec.replicas` where an object of the text states a key twice. `JSON.parse` keeps the last one and says nothing; the server does. */
export function duplicateFields(text: string): readonly string[] {
  const duplicates: string[] = [];
  const open: Level[] = [];
  for (const [token] of text.matchAll(tokens)) step({ token, open, duplicates });
  return duplicates;
}

type Level = {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  /** Of an object: the key whose value comes next. */
  key: string | undefined;
  index: number;
};

/** Only what opens, closes and separates; numbers and words mean nothing here. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

function step({
  token,
  open,
  duplicates,
}: {
  readonly token: string;
  readonly open: Level[];
  readonly duplicates: string[];
}): void {
  const level = open.at(-1);
  if (token === '{' || token === '[') open.push(levelIn(level, token));
  else if (token === '}' || token === ']') open.pop();
  else if (token === ',' && level !== undefined) next(level);
  else if (token.startsWith('"') && level?.keys !== undefined && level.key === undefined)
    name({ level, keys: level.keys, token, duplicates });
}

function levelIn(level: Level | undefined, token: string): Level {
  return {
    path: level === undefined ? '' : pathOf(level),
    keys: token === '{' ? new Set() : undefined,
    key: undefined,
    index: 0,
  };
}

function next(level: Level): void {
  level.key = undefined;
  level.index += 1;
}

function name({
  level,
  keys,
  token,
  duplicates,
}: {
  readonly level: Level;
  readonly keys: Set<string>;
  readonly token: string;
  readonly duplicates: string[];
}): void {
  const key = String(JSON.parse(token));
  level.key = key;
  const path = pathOf(level);
  if (keys.has(key) && !duplicates.includes(path)) duplicates.push(path);
  keys.add(key);
}

function pathOf({ path, keys, key, index }: Level): string {
  if (keys === undefined) return `${path}[${index}]`;
  return path === '' ? (key ?? '') : `${path}.${key ?? ''}`;
}
