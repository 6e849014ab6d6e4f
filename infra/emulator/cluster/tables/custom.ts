import { cellsOf, columnsOf } from '../custom/columns.ts';
import type { CustomVersion } from '../custom/definition.ts';
import { since } from './cells.ts';
import type { Cell, Columns } from './table.ts';

/** As `additionalPrinterColumns` states them, or name and age. */
export function customColumns(version: CustomVersion): Columns {
  return columnsOf(version).map((column, index) => ({
    ...column,
    cell: (object, now) => {
      const cells = cellsOf(object, version, (timestamp) => since(timestamp, now));
      return (cells[index] ?? null) as Cell;
    },
  }));
}
