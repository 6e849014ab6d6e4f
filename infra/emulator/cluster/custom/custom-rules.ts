import { isList, type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { Rules, Subresource } from '../parts.ts';
import { objectWithDefaults } from './defaulting.ts';
import { type CustomVersion, findVersion, objectAt } from './definition.ts';
import { objectErrors, statusErrors } from './object-errors.ts';
import { scaleSubresource } from './scale.ts';

/** What the server does to objects of a custom kind, as its definition says. The version must be one of it. */
export function customRules(definition: JsonObject, version: string): Rules {
  const stated = findVersion(definition, version);
  if (stated === undefined) throw new Error(`there is no version ${version}`);
  const { schema, hasStatus } = stated;
  return {
    defaulted: (object) => objectWithDefaults(object, schema),
    created: (object) => generation(hasStatus ? without(object, 'status') : object, 1),
    updated: (next, before) => updated(hasStatus ? withStatusOf(next, before) : next, before),
    checked: (next, before) => objectErrors(next, before, stated),
    warnings: finalizerWarnings,
    subresources: subresourcesOf(stated),
  };
}

function subresourcesOf(version: CustomVersion): Readonly<Record<string, Subresource>> {
  const { hasStatus, scale } = version;
  return {
    ...(hasStatus ? { status: statusOf(version) } : {}),
    ...(scale === undefined
      ? {}
      : { scale: scaleSubresource(scale, (next, before) => objectErrors(next, before, version)) }),
  };
}

function statusOf(version: CustomVersion): Subresource {
  return {
    shape: 'part',
    taken: (next, before) => {
      const { managedFields } = objectAt(next, 'metadata');
      const metadata = objectAt(before, 'metadata');
      return withStatusOf(
        {
          ...before,
          metadata: managedFields === undefined ? metadata : { ...metadata, managedFields },
        },
        next,
      );
    },
    checked: (next, before) => statusErrors(next, before, version),
  };
}

function withStatusOf(object: JsonObject, other: JsonObject): JsonObject {
  const { status } = other;
  return status === undefined ? without(object, 'status') : { ...object, status };
}

/** Everything but metadata counts, the status too where it is no subresource. */
function updated(next: JsonObject, before: JsonObject): JsonObject {
  const { generation: last } = objectAt(before, 'metadata');
  const number = typeof last === 'number' ? last : 0;
  const isSame = sameJson(without(next, 'metadata'), without(before, 'metadata'));
  return generation(next, isSame ? number : number + 1);
}

function generation(object: JsonObject, number: number): JsonObject {
  return { ...object, metadata: { ...objectAt(object, 'metadata'), generation: number } };
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

const standard = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

function finalizerWarnings(next: JsonObject): readonly string[] {
  const { finalizers } = objectAt(next, 'metadata');
  const names = isList(finalizers) ? finalizers.filter((each) => typeof each === 'string') : [];
  return names
    .filter((name) => !name.includes('/') && !standard.has(name))
    .map((name) => {
      const path = name.includes('.') ? ' including a path (/)' : '';
      const why = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
      return `metadata.finalizers: ${JSON.stringify(name)}: ${why}`;
    });
}
