import { duplicate, forbidden, notFound } from '../words/errors.ts';
import { child, type Errors, isEmpty, items, none, type Place, text } from '../words/place.ts';
import { type Around, checkedContainer } from './container-checks.ts';

/** What a container that is added for debugging has nothing to do with. */
const forbiddenParts = [
  'ports',
  'resources',
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'resizePolicy',
] as const;

const why = 'cannot be set for an Ephemeral Container';

export function checkedEphemeral(
  all: readonly Place[],
  others: readonly Place[],
  around: Around,
): Errors {
  const otherNames = new Set(others.map((at) => text(child(at, 'name'))));
  const names = new Set(otherNames);
  return all.flatMap((at) => {
    const [name, target] = [child(at, 'name'), child(at, 'targetContainerName')];
    const again = names.has(text(name)) ? [duplicate(name)] : none;
    names.add(text(name));
    return [
      ...checkedContainer(at, around),
      ...again,
      ...(isEmpty(target) || otherNames.has(text(target)) ? none : [notFound(target)]),
      ...forbiddenParts
        .map((key) => child(at, key))
        .filter((part) => !isEmpty(part))
        .map((part) => forbidden(part, why)),
      ...items(at, 'volumeMounts')
        .flatMap((mount) => [child(mount, 'subPath'), child(mount, 'subPathExpr')])
        .filter((path) => !isEmpty(path))
        .map((path) => forbidden(path, why)),
    ];
  });
}
