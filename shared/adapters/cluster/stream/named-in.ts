type Named = { readonly namespace: string | undefined; readonly name: string | undefined };

const token = /"((?:[^"\\]|\\.)*)"|[{}[\],:]/g;

/**
 * Of the beginning of a watch event, whose end we never saw: the names in `object.metadata`, as far as they stand
 * there. Names hold nothing that JSON escapes.
 */
export function namedIn(head: string): Named {
  const found = new Map<string, string>();
  const place = placeInJson();
  for (const [mark, text] of head.matchAll(token)) {
    const key = place.after(mark, text);
    if (key !== undefined && text !== undefined) found.set(key, text);
  }
  return { namespace: found.get('namespace'), name: found.get('name') };
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
