type Named = { readonly namespace: string | undefined; readonly name: string | undefined };

type Token = { readonly mark: string; readonly text?: string };

const marks = new Set('{}[],:');

/**
 * Of the beginning of a watch event, whose end we may never have seen: the names in `object.metadata`, as far as they
 * stand there. Names hold nothing that JSON escapes.
 */
export function namedIn(head: string): Named {
  const found = new Map<string, string>();
  const place = placeInJson();
  for (const { mark, text } of tokensOf(head)) {
    const key = place.after(mark, text);
    if (key !== undefined && text !== undefined) found.set(key, text);
  }
  return { namespace: copied(found.get('namespace')), name: copied(found.get('name')) };
}

/** Stops at a text that does not end: to look for another one from each quote in it takes its length squared. */
function* tokensOf(head: string): Generator<Token> {
  for (let at = 0; at < head.length; at += 1) {
    const mark = head.charAt(at);
    if (marks.has(mark)) yield { mark };
    if (mark !== '"') continue;
    const end = endOfText(head, at + 1);
    if (end === undefined) return;
    yield { mark, text: head.slice(at + 1, end) };
    at = end;
  }
}

function endOfText(head: string, from: number): number | undefined {
  for (let at = from; at < head.length; at += 1) {
    const letter = head.charAt(at);
    if (letter === '"') return at;
    if (letter === '\\') at += 1;
  }
  return undefined;
}

/** A slice would keep the whole head for as long as somebody has the name. */
function copied(slice: string | undefined): string | undefined {
  return slice === undefined ? undefined : Buffer.from(slice).toString();
}

function placeInJson() {
  const path: string[] = [];
  let key = '';
  let isValue = false;
  /** The key in `object.metadata` whose text this is. */
  const after = (mark: string, text: string | undefined): string | undefined => {
    const isText = isValue && text !== undefined;
    if (!isText) key = text ?? key;
    moved(path, mark, key);
    isValue = mark === ':';
    return isText && isMetadata(path) ? key : undefined;
  };
  return { after };
}

function moved(path: string[], mark: string, key: string): void {
  if (mark === '{' || mark === '[') path.push(key);
  else if (mark === '}' || mark === ']') path.pop();
}

function isMetadata(path: readonly string[]): boolean {
  return path.length === 3 && path[1] === 'object' && path[2] === 'metadata';
}
