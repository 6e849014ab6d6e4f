import { type Refusal, refusal } from '../refusal.ts';
import type { Conflicts } from './changing.ts';
import { shown } from './elements.ts';
import { children, type Fields, isMember } from './fields.ts';
import { sorted } from './in-order.ts';
import type { Owner } from './owners.ts';

/** The paths of a set: of each level the members first, then what is below them. */
export function pathsOf(fields: Fields): readonly (readonly string[])[] {
  const nodes = Object.entries(sorted(fields)).filter(([element]) => element !== '.');
  return [
    ...nodes.filter(([, node]) => isMember(node)).map(([element]) => [element]),
    ...nodes.flatMap(([element, node]) =>
      pathsOf(children(node)).map((path) => [element, ...path]),
    ),
  ];
}

/** 409, with one cause a field. */
export function conflicted(conflicts: Conflicts): Refusal {
  const causes = conflicts.flatMap(({ owner, fields }) =>
    pathsOf(fields).map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${titleOf(owner)}`,
      field: path.map(shown).join(''),
    })),
  );
  const [first] = causes;
  const message =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${conflicts.map(linesOf).join('\n')}`;
  return refusal(409, { reason: 'Conflict', message, details: { causes } });
}

function linesOf({ owner, fields }: Conflicts[number]): string {
  const paths = pathsOf(fields).map((path) => `- ${path.map(shown).join('')}`);
  return [`conflicts with ${titleOf(owner)}:`, ...paths].join('\n');
}

function titleOf({ manager, operation, apiVersion, subresource }: Owner): string {
  const name = JSON.stringify(manager);
  const place = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${name}${place}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
