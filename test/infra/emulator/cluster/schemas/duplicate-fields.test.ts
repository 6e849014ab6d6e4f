import { describe, expect, it } from 'vitest';
import { duplicateFields } from '#infra/emulator/cluster/schemas/decoding/duplicate-fields.ts';

describe('a text with a key that stands twice', () => {
  it.each([
    ['{"a":1,"b":{"a":2}}', []],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"spec":{"x":1,"y":[{"n":1,"n":2}],"x":2}}', ['spec.y[0].n', 'spec.x']],
    ['{"a":[1,{"b":1},{"c":{},"c":[]}]}', ['a[2].c']],
    ['{"a":"a","b":"a","c":"\\"a\\":1"}', []],
    ['{"a\\u0062":1,"ab":2}', ['ab']],
    ['{ "a" : {"x": "}"} , "b" : "{,", "b":null }', ['b']],
    ['[]', []],
  ])('%s: %j', (text, fields) => {
    expect(duplicateFields(text)).toEqual(fields);
  });
});
