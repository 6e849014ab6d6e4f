import type { Field } from './messages.ts';

type Source = { readonly name: string; readonly text: string };

type GoType =
  | { readonly kind: 'struct'; readonly lines: readonly string[]; readonly source: Source }
  | { readonly kind: 'alias'; readonly of: string; readonly source: Source };

/** `core/v1.Pod` → its fields, from the sources of all packages. */
export function typesIn(sources: readonly Source[]): Readonly<Record<string, readonly Field[]>> {
  const types = new Map(sources.flatMap(declared));
  const structs = [...types].flatMap(([name, type]) =>
    type.kind === 'struct' ? [[name, fieldsOf(type, types)] as const] : [],
  );
  return Object.fromEntries(structs.filter(([, fields]) => fields.length > 0));
}

type Types = ReadonlyMap<string, GoType>;

function declared(source: Source): readonly (readonly [string, GoType])[] {
  const structs = [...source.text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)].map(
    ([, name = '', body = '']) =>
      [`${source.name}.${name}`, { kind: 'struct', lines: body.split('\n'), source }] as const,
  );
  const aliases = [...source.text.matchAll(/^type (\w+) (?!struct)(\S+)$/gm)].map(
    ([, name = '', of = '']) => [`${source.name}.${name}`, { kind: 'alias', of, source }] as const,
  );
  return [...structs, ...aliases];
}

const line = /^\s*(?:(\w+)\s+)?(\S+)\s+`([^`]*)`/;

function fieldsOf(type: GoType & { readonly kind: 'struct' }, types: Types): readonly Field[] {
  return type.lines.flatMap((text): Field[] => {
    const [, , stated = '', tags = ''] = line.exec(text) ?? [];
    const [, number] = /protobuf:"\w+,(\d+),/.exec(tags) ?? [];
    const [, json = ''] = /json:"([^"]*)"/.exec(tags) ?? [];
    if (number === undefined) return [];
    const [name = '', ...options] = json.split(',');
    const isPointer = stated.startsWith('*');
    const isKept = isPointer || !options.includes('omitempty');
    const isInline = options.includes('inline');
    return [
      [Number(number), isInline ? '' : name, typeOf(stated, type.source, types), isKept ? 1 : 0],
    ];
  });
}

const plain: Readonly<Record<string, string>> = {
  ...{ string: 's', bool: 'b', int32: 'i', int64: 'i', int: 'i', uint8: 'i', float64: 'f' },
  '[]byte': 'y',
};

const special: Readonly<Record<string, string>> = {
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'int-or-string',
  'runtime.RawExtension': 'raw',
  'meta/v1.Time': 'time',
  'meta/v1.MicroTime': 'time',
  'meta/v1.Timestamp': 'time',
  'meta/v1.Duration': 'duration',
  'meta/v1.FieldsV1': 'raw',
  'apiextensions/v1.JSON': 'raw',
  'apiextensions/v1.JSONSchemaPropsOrBool': 'schema-or-bool',
  'apiextensions/v1.JSONSchemaPropsOrArray': 'schema-or-list',
  'apiextensions/v1.JSONSchemaPropsOrStringArray': 'schema-or-texts',
  'types.UID': 's',
  'types.NodeName': 's',
};

/** `[s` is a list of texts, `{quantity` a map of quantities, `core/v1.Container` a message. */
function typeOf(stated: string, source: Source, types: Types): string {
  const bare = stated.replace(/^\*/, '');
  const known = plain[bare];
  if (known !== undefined) return known;
  if (bare.startsWith('[]')) return `[${typeOf(bare.slice(2), source, types)}`;
  const [, value] = /^map\[[\w.]+\](\S+)$/.exec(bare) ?? [];
  if (value !== undefined) return `{${typeOf(value, source, types)}`;
  const name = qualified(bare, source);
  const own = special[name];
  if (own !== undefined) return own;
  const found = types.get(name);
  if (found?.kind !== 'alias') return name;
  // A list that is a type of its own travels as a message around it.
  return found.of.startsWith('[]') ? 'texts' : typeOf(found.of, found.source, types);
}

function qualified(name: string, { name: own, text }: Source): string {
  const [first = '', second] = name.split('.');
  if (second === undefined) return `${own}.${first}`;
  const imports = [...text.matchAll(/^\s*(?:(\w+) )?"(k8s\.io\/[^"]+)"/gm)].map(
    ([, alias, path = '']) => [alias ?? path.split('/').at(-1), path] as const,
  );
  const path = imports.find(([alias]) => alias === first)?.[1] ?? first;
  return `${shortPath(path)}.${second}`;
}

function shortPath(path: string): string {
  const [, versioned] = /([a-z]+\/v\d\w*)$/.exec(path) ?? [];
  return versioned ?? path.split('/').at(-1) ?? path;
}
