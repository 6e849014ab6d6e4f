import type { Definitions } from '../definitions.ts';
import { idOf, type ServedKind } from '../served-kinds.ts';
import { builtInColumns } from './built-in.ts';
import { ageColumn, nameColumn, textAt } from './cells.ts';
import { customColumns } from './custom.ts';
import type { Columns } from './table.ts';

/** What the server shows of a kind that it has no columns for. */
const generic: Columns = [
  nameColumn,
  {
    ...{ name: 'Created At', type: 'date' },
    cell: ({ metadata }) => textAt(metadata, 'creationTimestamp'),
  },
];

const custom: Columns = [nameColumn, { ...ageColumn, type: 'date' }];

export function columnsOf(kind: ServedKind): Columns {
  return builtInColumns[idOf(kind)] ?? (kind.isCustom ? custom : generic);
}

/** Custom kinds say themselves what is shown of them. */
export function columnsFrom(definitions: Definitions) {
  return (kind: ServedKind, version: string): Columns => {
    const stated = kind.isCustom ? definitions.version(kind, version) : undefined;
    return stated === undefined ? columnsOf(kind) : customColumns(stated);
  };
}
