import type { Include } from '../tables/table.ts';
import { type Clause, clausesOf } from './accept-header.ts';
import type { Route } from './route.ts';

/** In which form an answer is wanted. */
export type Accepted = {
  readonly type: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'partial' | 'group-discovery';
  /** Of the group that `as` is of. */
  readonly version: string;
  readonly isPretty: boolean;
  /** It is a form of lists, or of one object; of tables and objects it is both. */
  readonly isOf?: 'one' | 'many';
};

/** Kinds of answers by the parameter that names them. */
const forms: Readonly<Record<string, Accepted['as']>> = {
  Table: 'table',
  PartialObjectMetadata: 'partial',
  PartialObjectMetadataList: 'partial',
  APIGroupDiscoveryList: 'group-discovery',
};

/**
 * The best that can be had, as clients order them; Go's ask for protobuf first, and take JSON.
 * `undefined` where none of ours would do.
 */
export function acceptedOf(header: string | undefined, of: Route['kind']): Accepted | undefined {
  const plain = { type: 'json', as: 'object', version: '', isPretty: false } as const;
  if (header === undefined || header === '') return plain;
  for (const clause of clausesOf(header)) {
    const type = typeOf(clause);
    const found = type && formed(type, clause.parameters);
    const isHad = found?.as !== 'group-discovery' || of !== 'resource';
    if (found !== undefined && isHad) return found;
  }
  return undefined;
}

/** Whether an answer could be had as it is: a refusal has no other form. */
export function takesPlain(header: string | undefined): boolean {
  if (header === undefined || header === '') return true;
  return clausesOf(header).some((clause) => {
    const type = typeOf(clause);
    return type !== undefined && formed(type, clause.parameters)?.as === 'object';
  });
}

function typeOf({ type, subtype }: Clause): Accepted['type'] | undefined {
  if (type === '*' && subtype === '*') return 'json';
  if (type !== 'application') return undefined;
  if (subtype === 'json' || subtype === '*') return 'json';
  return subtype === 'yaml' ? 'yaml' : undefined;
}

function formed(type: Accepted['type'], stated: Clause['parameters']): Accepted | undefined {
  if (!['', 'watch'].includes(stated.get('stream') ?? '')) return undefined;
  const isPretty = stated.get('pretty') === '1';
  const [kind, group, version] = ['as', 'g', 'v'].map((key) => stated.get(key));
  if (kind === undefined && group === undefined && version === undefined) {
    return { type, as: 'object', version: '', isPretty };
  }
  const as = forms[kind ?? ''];
  if (as === undefined || version === undefined || !isServed(as, group, version)) return undefined;
  if (as !== 'partial') return { type, as, version, isPretty };
  return { type, as, version, isPretty, isOf: kind?.endsWith('List') ? 'many' : 'one' };
}

function isServed(as: Accepted['as'], group: string | undefined, version: string): boolean {
  return as === 'group-discovery'
    ? group === 'apidiscovery.k8s.io' && version === 'v2'
    : group === 'meta.k8s.io' && ['v1', 'v1beta1'].includes(version);
}

/** Of the objects in a table. */
export function includeOf(query: URLSearchParams): Include {
  const stated = query.get('includeObject');
  return stated === 'Object' || stated === 'None' ? stated : 'Metadata';
}
