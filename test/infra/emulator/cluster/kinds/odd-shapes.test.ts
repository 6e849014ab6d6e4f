import { describe, expect, it } from 'vitest';
import { rulesOf } from '#infra/emulator/cluster/kinds/rules-of.ts';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { at, born, good, kindOf, made, nameOf } from './corpus.ts';

const odd: readonly Json[] = [null, 'x', 1, [], {}, [null]];

/** Each part of the spec, or of the object where it has none, in a shape that no decoder lets through. */
function misshapen(manifest: JsonObject): readonly JsonObject[] {
  const { spec } = manifest;
  const part = isJsonObject(spec) ? spec : manifest;
  const whole = (next: JsonObject) => (part === spec ? { ...manifest, spec: next } : next);
  return Object.keys(part).flatMap((key) =>
    odd.map((value) => born(whole({ ...part, [key]: value }))),
  );
}

describe('the rules of the built-in kinds', () => {
  it.each(good.map((each) => [nameOf(each), each] as const))(
    'refuse or take %s in any shape, and never throw',
    (_, manifest) => {
      const rules = rulesOf(kindOf(manifest));
      const before = made(manifest);
      for (const object of misshapen(manifest)) {
        expect(() => {
          rules.checked(rules.defaulted(rules.created(object, at)), undefined);
          rules.checked(rules.defaulted(rules.updated(object, before, at)), before);
        }).not.toThrow();
      }
    },
  );
});
