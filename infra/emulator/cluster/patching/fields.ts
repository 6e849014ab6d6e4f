/**
 * A set of fields, in the very form of FieldsV1: `{"f:spec":{"f:replicas":{}}}`.
 * A node without keys is a member; one with keys is a member where it has a `.`; a root is never a member.
 */
export type Fields = { readonly [element: string]: Fields };

export const member: Fields = Object.freeze({});
export const noFields: Fields = member;

type Open = { [element: string]: Fields };

export function isEmpty(fields: Fields): boolean {
  for (const _ in fields) return false;
  return true;
}

export function isMember(node: Fields | undefined): boolean {
  return node !== undefined && (node['.'] !== undefined || isEmpty(node));
}

export function hasChildren(node: Fields): boolean {
  for (const element in node) if (element !== '.') return true;
  return false;
}

/** The set of one path. */
export function fieldsAt(...path: readonly string[]): Fields {
  return path.reduceRight<Fields>((inner, name) => ({ [`f:${name}`]: inner }), member);
}

export function nodeOf(children: Fields, asMember: boolean): Fields | undefined {
  if (isEmpty(children)) return asMember ? member : undefined;
  return asMember ? { '.': member, ...children } : children;
}

export function union(one: Fields, other: Fields): Fields {
  if (isEmpty(other) || one === other) return one;
  if (isEmpty(one)) return other;
  const both: Open = { ...one };
  for (const element in other) {
    const [mine, theirs] = [one[element], other[element]];
    if (theirs === undefined) continue;
    both[element] = mine === undefined ? theirs : united(mine, theirs);
  }
  return both;
}

function united(one: Fields, other: Fields): Fields {
  if (isEmpty(one)) return isMember(other) ? other : { '.': member, ...other };
  if (isEmpty(other)) return isMember(one) ? one : { '.': member, ...one };
  return union(one, other);
}

export function intersection(one: Fields, other: Fields): Fields {
  const common: Open = {};
  for (const element in one) {
    const [mine, theirs] = [one[element], other[element]];
    if (element === '.' || mine === undefined || theirs === undefined) continue;
    const node = nodeOf(intersection(mine, theirs), isMember(mine) && isMember(theirs));
    if (node !== undefined) common[element] = node;
  }
  return common;
}

/** What is taken away takes its children away only where it says so: a parent is not its children. */
export function difference(one: Fields, other: Fields): Fields {
  return without(one, other, (below, theirs) => difference(below, theirs));
}

/** What is taken away goes with all that is below. */
export function pruned(one: Fields, other: Fields): Fields {
  return without(one, other, (below, theirs) =>
    isMember(theirs) ? noFields : pruned(below, theirs),
  );
}

type Rest = (below: Fields, theirs: Fields) => Fields;

/** The very same set where nothing is taken away. */
function without(one: Fields, other: Fields, rest: Rest): Fields {
  let left: Open | undefined;
  for (const element in other) {
    const [mine, theirs] = [one[element], other[element]];
    if (element === '.' || mine === undefined || theirs === undefined) continue;
    const node = lessened(mine, theirs, rest);
    if (node === mine) continue;
    left ??= { ...one };
    if (node === undefined) delete left[element];
    else left[element] = node;
  }
  return left ?? one;
}

function lessened(mine: Fields, theirs: Fields, rest: Rest): Fields | undefined {
  const below = children(mine);
  const kept = rest(below, theirs);
  const stays = isMember(mine) && !isMember(theirs);
  return kept === below && stays === isMember(mine) ? mine : nodeOf(kept, stays);
}

/** The same object where there is no `.` to leave out. */
export function children(node: Fields): Fields {
  if (node['.'] === undefined) return node;
  const { '.': _, ...below } = node;
  return below;
}

export function has(fields: Fields, path: readonly string[]): boolean {
  let node: Fields | undefined = fields;
  for (const element of path) node = node?.[element];
  return path.length > 0 && isMember(node);
}
