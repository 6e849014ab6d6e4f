import { describe, expect, it } from 'vitest';
import { rulesOf } from '#infra/emulator/cluster/kinds/rules-of.ts';
import {
  answers,
  at,
  bad,
  changed,
  changes,
  good,
  kindOf,
  made,
  nameOf,
  normal,
  refused,
} from './corpus.ts';

const known = answers();

/** What a real kube-apiserver answered: `test/real/kinds.test.ts` asks it again. */
describe('the rules of the built-in kinds, beside the answers of a real kube-apiserver', () => {
  it.each(good.map((each) => [nameOf(each), each] as const))('store %s', (name, manifest) => {
    expect(normal(made(manifest))).toEqual(known.good[name]);
  });

  it.each(good.map((each) => [nameOf(each), each] as const))(
    'find nothing to change in %s a second time',
    (_, manifest) => {
      const rules = rulesOf(kindOf(manifest));
      const first = made(manifest);
      expect(rules.defaulted(rules.created(first, at))).toEqual(first);
      expect(rules.checked(first, undefined)).toEqual([]);
    },
  );

  it.each(bad.map((each) => [nameOf(each), each] as const))('refuse %s', (name, manifest) => {
    expect(refused(manifest)).toEqual(known.bad[name]);
  });

  it.each(changes.map((each) => [each.title, each] as const))(
    'take or refuse %s',
    (title, each) => {
      const { before = {}, answer } = known.changes[title] ?? {};
      expect(changed(before, each)).toEqual(answer);
    },
  );
});
