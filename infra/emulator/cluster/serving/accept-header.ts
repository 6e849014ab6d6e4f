/** One type of an `Accept`, `application/json;as=Table`, as the real server's reader takes it apart. */
export type Clause = {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
};

/** The best first. What is no type is passed over. */
export function clausesOf(header: string): readonly Clause[] {
  const read = header.split(',').map((part) => clauseIn(part.trim()));
  return inOrder(read.filter((each) => each !== undefined));
}

function clauseIn(text: string): Clause | undefined {
  const [stated = '', ...parameters] = text.split(';');
  const [type = '', subtype = '', more] = stated.split('/').map((part) => part.trim());
  if (more !== undefined || (subtype === '' && type !== '*')) return undefined;
  const all = new Map(parameters.flatMap(parameterIn));
  const quality = all.has('q') ? Number(all.get('q')) || 0 : 1;
  return { type, subtype: subtype || '*', quality, parameters: all };
}

function parameterIn(text: string): readonly (readonly [string, string])[] {
  const [key = '', value = '', more] = text.split('=');
  return value === '' || more !== undefined ? [] : [[key.trim(), value.trim()]];
}

/** Go sorts few by insertion; what is before what is no order, so that the way matters. */
function inOrder(clauses: readonly Clause[]): readonly Clause[] {
  const sorted: Clause[] = [];
  for (const clause of clauses) {
    let at = sorted.length;
    while (at > 0 && isBefore(clause, sorted[at - 1] as Clause)) at -= 1;
    sorted.splice(at, 0, clause);
  }
  return sorted;
}

function isBefore(one: Clause, other: Clause): boolean {
  return (
    one.quality > other.quality ||
    (one.type !== '*' && other.type === '*') ||
    (one.subtype !== '*' && other.subtype === '*')
  );
}

const produced = ['application/json', 'application/yaml', 'application/json;stream=watch'];

/** The router looks at the types alone, and lets through to where the rest is looked at. */
export function isRouted(header: string | undefined): boolean {
  if (header === undefined || header === '') return true;
  const types = header.split(',').map((part) => part.replace(/;.*$/s, '').trim());
  return types.some((type) => type === '*/*' || produced.includes(type));
}
