import type { Rules } from '../parts.ts';
import { idOf, type ServedKind } from '../served-kinds.ts';
import { type KindRules, rulesFrom } from './kind-rules.ts';
import { table } from './table.ts';

const known = new Map<string, Rules>();

/** What the server does itself to objects of a built-in kind; of one without a row only names and labels are checked. */
export function rulesOf(kind: ServedKind): Rules {
  const id = idOf(kind);
  const found = known.get(id) ?? rulesFrom(table[id] ?? plain(kind));
  known.set(id, found);
  return found;
}

function plain({ namespaced, subresources = [] }: ServedKind): KindRules {
  const hasStatus = subresources.some(({ name }) => name === 'status');
  return { isClusterWide: !namespaced, ...(hasStatus ? { status: {} } : {}) };
}
