import { describe, expect, it } from 'vitest';
import { cellsOf, columnsOf, found } from '#infra/emulator/cluster/custom/columns.ts';
import { findVersion } from '#infra/emulator/cluster/custom/definition.ts';
import { selectableFields } from '#infra/emulator/cluster/custom/selectable-fields.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { foos } from './foos.ts';

const object = {
  metadata: { name: 'w', creationTimestamp: '2030-01-01T00:00:00Z', labels: { 'a.b/c': 'x' } },
  spec: {
    n: 3,
    half: 1.5,
    on: true,
    list: ['a', 'b'],
    named: [
      { type: 'Ready', status: 'True' },
      { type: 'Up', status: 'False' },
    ],
  },
};

describe('a path of a column', () => {
  it.each([
    ['.spec.n', [3]],
    ['.spec.list', [['a', 'b']]],
    ['.spec.list[*]', ['a', 'b']],
    ['.spec.list[1]', ['b']],
    ['.spec.list[-1]', ['b']],
    ['.spec.list[7]', []],
    ['.spec.missing.deeper', []],
    ['.metadata.labels.a\\.b/c', ['x']],
    [".metadata.labels['a.b/c']", ['x']],
    ['.spec.named[?(@.type=="Ready")].status', ['True']],
    [".spec.named[?(@.type=='Up')].status", ['False']],
    ['.spec.named[*].type', ['Ready', 'Up']],
  ])('%s leads to %j', (path, values) => {
    expect(found(object, path)).toEqual(values);
  });
});

describe('the columns of a custom kind', () => {
  const columns = [
    ['Count', 'integer', '.spec.half'],
    ['Half', 'number', '.spec.half'],
    ['On', 'boolean', '.spec.on'],
    ['Wrong', 'boolean', '.spec.n'],
    ['All', 'string', '.spec.list[*]'],
    ['List', 'string', '.spec.list'],
    ['Born', 'date', '.metadata.creationTimestamp'],
    ['None', 'string', '.spec.none'],
  ].map(([name = '', type = '', jsonPath = '']) => ({ name, type, jsonPath }));

  it('show what the paths lead to, as the type of the column says', () => {
    const version = versionOf(foos({ version: { additionalPrinterColumns: columns } }));
    expect(cellsOf(object, version, () => '5m')).toEqual([
      'w',
      1,
      1.5,
      true,
      null,
      'a b',
      '["a","b"]',
      '5m',
      null,
    ]);
  });

  it('are name and age where the definition states none', () => {
    expect(columnsOf(versionOf(foos())).map(({ name }) => name)).toEqual(['Name', 'Age']);
  });
});

describe('selectable fields', () => {
  it('are texts, and empty where nothing is', () => {
    const version = versionOf(
      foos({ version: { selectableFields: [{ jsonPath: '.spec.n' }, { jsonPath: '.spec.a' }] } }),
    );
    expect(selectableFields(object, version)).toEqual({ 'spec.n': '3', 'spec.a': '' });
  });
});

function versionOf(definition: JsonObject) {
  const version = findVersion(definition, 'v1');
  if (version === undefined) throw new Error('there is a v1');
  return version;
}
