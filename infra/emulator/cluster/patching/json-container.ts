import { isList, type Json, type JsonObject } from '#shared/domain/json.ts';

export type Container = JsonObject | readonly Json[];

type Found = { readonly value: Json | undefined };

/** As the server's library has it: an object holds nothing under any other key, a list ends. */
export function found(container: Container, key: string): Found | undefined {
  if (!isList(container)) {
    return { value: Object.hasOwn(container, key) ? container[key] : undefined };
  }
  const index = indexOf(key, container.length);
  return index === undefined || index >= container.length ? undefined : { value: container[index] };
}

export function added(container: Container, key: string, value: Json): Container | undefined {
  if (!isList(container)) return { ...container, [key]: value };
  if (key === '-') return [...container, value];
  const index = indexOf(key, container.length + 1);
  if (index === undefined || index > container.length) return undefined;
  return container.toSpliced(index, 0, value);
}

export function replaced(container: Container, key: string, value: Json): Container | undefined {
  if (!isList(container)) return { ...container, [key]: value };
  const index = indexOf(key, container.length);
  if (index === undefined || index >= container.length) return undefined;
  return container.with(index, value);
}

export function removed(container: Container, key: string): Container | undefined {
  if (isList(container)) {
    const index = indexOf(key, container.length);
    if (index === undefined || index >= container.length) return undefined;
    return container.toSpliced(index, 1);
  }
  if (!Object.hasOwn(container, key)) return undefined;
  const { [key]: _, ...rest } = container;
  return rest;
}

/** A negative one counts from the end, which RFC 6901 does not know. */
function indexOf(key: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined;
  const index = Number(key);
  if (index >= 0) return index;
  return index < -length ? undefined : index + length;
}
