import { isList, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError } from '../../parts.ts';
import { textAt } from '../definition.ts';
import { invalid, required } from '../valid/found.ts';
import { kindErrors, labelErrors } from './label.ts';

const stated = ['plural', 'singular', 'kind', 'listKind'] as const;

export function nameErrors(names: JsonObject, path: string): readonly FieldError[] {
  const missing = stated.filter((key) => textAt(names, key) === '');
  const [kind, listKind] = [textAt(names, 'kind'), textAt(names, 'listKind')];
  return [
    ...missing.map((key) => required(`${path}.${key}`)),
    ...labelErrors(`${path}.plural`, textAt(names, 'plural')),
    ...labelErrors(`${path}.singular`, textAt(names, 'singular')),
    ...kindErrors(`${path}.kind`, kind),
    ...kindErrors(`${path}.listKind`, listKind),
    ...listed(names, 'shortNames', path),
    ...(kind !== '' && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...listed(names, 'categories', path),
  ];
}

function listed(names: JsonObject, key: string, path: string): readonly FieldError[] {
  return textsAt(names, key).flatMap((each, index) =>
    labelErrors(`${path}.${key}[${index}]`, each),
  );
}

export function textsAt(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return isList(value) ? value.filter((each) => typeof each === 'string') : [];
}
