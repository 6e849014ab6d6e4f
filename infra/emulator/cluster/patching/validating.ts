import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';
import { elementOf, shown } from './elements.ts';
import { goSyntax, goText, goType } from './go-text.ts';
import { kindOf, type ListShape, type MapShape, type Scalar, type Shape } from './shapes.ts';

type Misfit = { readonly path: string; readonly message: string };

/** What a configuration has that its schema does not allow, in the server's words; undefined where all is well. */
export function misfitsOf(shape: Shape, config: Json): string | undefined {
  const texts = misfits(shape, config).map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
  return texts.length < 2 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}

function misfits(shape: Shape, value: Json): readonly Misfit[] {
  const kind = kindOf(shape, value);
  if (kind === 'map' && shape.map !== undefined) return ofMap(shape.map, value);
  if (kind === 'list' && shape.list !== undefined) return ofList(shape.list, value);
  return ofScalar(shape.scalar ?? 'untyped', value);
}

function alone(message: string): readonly Misfit[] {
  return [{ path: '', message }];
}

function below(path: string, found: readonly Misfit[]): readonly Misfit[] {
  return found.map((misfit) => ({ ...misfit, path: `${path}${misfit.path}` }));
}

const expected: Readonly<Record<Scalar, (value: Json) => string>> = {
  numeric: (value) => `numeric (int or float), got ${goType(value)}`,
  string: (value) => `string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
  boolean: (value) => `boolean, got &{${goText(value)}}`,
  untyped: (value) => `any scalar, got &{${goText(value)}}`,
};

function ofScalar(scalar: Scalar, value: Json): readonly Misfit[] {
  if (value === null || fits(scalar, value)) return [];
  return alone(`expected ${expected[scalar](value)}`);
}

function fits(scalar: Scalar, value: Json): boolean {
  if (scalar === 'untyped') return typeof value !== 'object';
  return typeof value === (scalar === 'numeric' ? 'number' : scalar);
}

function ofMap(shape: MapShape, value: Json): readonly Misfit[] {
  if (value === null) return [];
  if (!isJsonObject(value)) return alone(`expected map, got &{${goText(value)}}`);
  const found: Misfit[] = [];
  for (const [field, inner] of Object.entries(value)) {
    const at = shape.at(field);
    if (at.place !== 'unknown') found.push(...below(`.${field}`, misfits(at.shape, inner)));
    // The real server does not look at what comes after it either.
    else return [...found, { path: `.${field}`, message: 'field not declared in schema' }];
  }
  return found;
}

function ofList(shape: ListShape, value: Json): readonly Misfit[] {
  if (value === null) return [];
  if (!isList(value)) return alone(`expected list, got &{${goText(value)}}`);
  if (shape.atomic) {
    return value.flatMap((item, index) => below(`[${index}]`, misfits(shape.item, item)));
  }
  return ofItems(shape, value);
}

function ofItems(shape: ListShape, items: readonly Json[]): readonly Misfit[] {
  const found: Misfit[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = elementOf(shape, item);
    if (typeof element !== 'string') {
      return [...found, ...alone(`element ${index}: ${element.misfit}`)];
    }
    if (seen.has(element)) found.push(...alone(`duplicate entries for key ${shown(element)}`));
    seen.add(element);
    const inner = misfits(shape.item, item);
    if (inner.length > 0) found.push(...below(shown(element), inner));
  }
  return found;
}
