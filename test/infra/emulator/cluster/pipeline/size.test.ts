import { expect, it } from 'vitest';
import { oversized } from '#infra/emulator/cluster/pipeline/size.ts';
import { builtIn } from '#infra/emulator/cluster/served-kinds.ts';
import { storedFrom } from '#infra/emulator/cluster/store/stored.ts';
import { configMaps } from '#shared/domain/kind.ts';

const kind = builtIn(configMaps);
const custom = { ...kind, isCustom: true };
const mebibyte = 2 ** 20;

it.each([
  ['a mebibyte of lines, which JSON makes two of', kind, '\n'.repeat(mebibyte), undefined],
  ['the same in a custom resource, which is kept as JSON', custom, '\n'.repeat(mebibyte), 500],
  ['letters of two bytes, of which half as many fit', kind, 'é'.repeat(mebibyte), 500],
  ['a mebibyte and a half', kind, 'a'.repeat(1.5 * mebibyte), 500],
  ['a little less', kind, 'a'.repeat(1.5 * mebibyte - 1_000), undefined],
])('etcd is given %s', (_, of, text, code) => {
  const object = { metadata: { name: 'a', namespace: 'team' }, data: { text } };
  expect(oversized(storedFrom(object, 1), of)?.code).toBe(code);
});
