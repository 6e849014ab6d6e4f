import type { Include } from '../tables/table.ts';

/** In which form an answer is wanted; `undefined` where none of ours would do. */
export type Accepted = {
  readonly type: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'partial' | 'group-discovery';
  /** Of the group that `as` is of. */
  readonly version: string;
  /** It is a form of lists, or of one object; of tables and objects it is both. */
  readonly isOf?: 'one' | 'many';
};

const plainJson: Accepted = { type: 'json', as: 'object', version: '' };

/** Kinds of answers by the parameter that names them. */
const forms: Readonly<Record<string, Accepted['as']>> = {
  Table: 'table',
  PartialObjectMetadata: 'partial',
  PartialObjectMetadataList: 'partial',
  APIGroupDiscoveryList: 'group-discovery',
};

/** The first that can be had, as clients order them; Go's ask for protobuf first, and take JSON. */
export function acceptedOf(header: string | undefined): Accepted | undefined {
  if (header === undefined || header === '') return plainJson;
  for (const stated of header.split(',')) {
    const [type = '', ...parameters] = stated.split(';').map((part) => part.trim());
    const found = acceptedFrom(type, new Map(parameters.map(pairOf)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function pairOf(parameter: string): [string, string] {
  const [key = '', value = ''] = parameter.split('=');
  return [key, value];
}

function acceptedFrom(type: string, parameters: ReadonlyMap<string, string>): Accepted | undefined {
  const form = formOf(type);
  if (form === undefined) return undefined;
  const stated = parameters.get('as');
  if (stated === undefined) return { ...plainJson, type: form };
  const as = forms[stated];
  const version = parameters.get('v') ?? '';
  if (as === undefined || !isServed(as, version)) return undefined;
  if (as !== 'partial') return { type: form, as, version };
  return { type: form, as, version, isOf: stated.endsWith('List') ? 'many' : 'one' };
}

function isServed(as: Accepted['as'], version: string): boolean {
  return as === 'group-discovery' ? version === 'v2' : version === 'v1';
}

function formOf(type: string): 'json' | 'yaml' | undefined {
  if (['application/json', '*/*', 'application/*', 'text/*'].includes(type)) return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

/** Of the objects in a table. */
export function includeOf(query: URLSearchParams): Include {
  const stated = query.get('includeObject');
  return stated === 'Object' || stated === 'None' ? stated : 'Metadata';
}
