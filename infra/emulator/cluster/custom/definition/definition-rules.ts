import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Rules } from '../../parts.ts';
import { objectAt, objectsAt, textAt } from '../definition.ts';
import { knownFormat } from '../valid/formats.ts';
import { definitionErrors, isSameSpec, lifeErrors } from './definition-errors.ts';
import { textsAt } from './names.ts';

/** CustomResourceDefinitions themselves. Who sets their conditions is `settled`. */
export const definitionRules: Rules = {
  defaulted: (object) => ({ ...object, spec: defaultedSpec(objectAt(object, 'spec')) }),
  created: (object) => stored({ ...withGeneration(object, 1), status: empty }),
  updated: (next, before) => {
    const { generation } = objectAt(before, 'metadata');
    const last = typeof generation === 'number' ? generation : 0;
    const kept = { ...next, status: before['status'] ?? empty };
    return stored(withGeneration(kept, isSameSpec(next, before) ? last : last + 1));
  },
  checked: definitionErrors,
  warnings: formatWarnings,
  subresources: {
    status: {
      shape: 'part',
      taken: (next, before) => ({ ...before, status: next['status'] ?? empty }),
      checked: lifeErrors,
    },
  },
};

const empty: JsonObject = {
  conditions: null,
  acceptedNames: { plural: '', kind: '' },
  storedVersions: [],
};

function defaultedSpec({ preserveUnknownFields, ...spec }: JsonObject): JsonObject {
  const names = objectAt(spec, 'names');
  const kind = textAt(names, 'kind');
  const listKind = textAt(names, 'listKind') || (kind === '' ? '' : `${kind}List`);
  const conversion = isJsonObject(spec['conversion']) ? spec['conversion'] : { strategy: 'None' };
  const singular = textAt(names, 'singular') || kind.toLowerCase();
  return {
    ...spec,
    // Since it may not be so any more, nobody is told that it is not.
    ...(preserveUnknownFields === true && { preserveUnknownFields }),
    names: { ...names, ...stated({ singular, listKind }) },
    conversion: withPort(conversion),
  };
}

function stated(texts: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

function withPort(conversion: JsonObject): JsonObject {
  const webhook = objectAt(conversion, 'webhook');
  const clientConfig = objectAt(webhook, 'clientConfig');
  const { service } = clientConfig;
  if (!isJsonObject(service) || service['port'] !== undefined) return conversion;
  return {
    ...conversion,
    webhook: { ...webhook, clientConfig: { ...clientConfig, service: { ...service, port: 443 } } },
  };
}

/** Whatever was once a storage version stays one, until somebody says that nothing is stored in it. */
function stored(definition: JsonObject): JsonObject {
  const status = objectAt(definition, 'status');
  const known = textsAt(status, 'storedVersions');
  const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
  const name = textAt(versions.find((version) => version['storage'] === true) ?? {}, 'name');
  const all = name === '' || known.includes(name) ? known : [...known, name];
  return { ...definition, status: { ...status, storedVersions: [...all] } };
}

function withGeneration(object: JsonObject, generation: number): JsonObject {
  return { ...object, metadata: { ...objectAt(object, 'metadata'), generation } };
}

const numeric = /^(int32|int64|float|double)$/;

function formatWarnings(next: JsonObject): readonly string[] {
  const formats = new Set<string>();
  JSON.stringify(objectAt(next, 'spec')['versions'], (_, value) => {
    if (isJsonObject(value) && value['type'] === 'string' && typeof value['format'] === 'string')
      if (knownFormat(value) === undefined || numeric.test(value['format']))
        formats.add(value['format']);
    return value;
  });
  return [...formats].sort().map((format) => `unrecognized format ${JSON.stringify(format)}`);
}
