import fc from 'fast-check';
import type { JsonObject } from '#shared/domain/json.ts';
import { drawnOf } from './generated/objects.ts';
import { holed, operations } from './generated/patches.ts';
import { json, merge, strategic } from './scenarios/steps.ts';
import type { Step } from './step.ts';

const manager = fc.constantFrom('one', 'two', 'kubectl', 'three');

/** One object's life: a create, then seven writes of any kind by anybody. */
export function stepsOf(kind: string): fc.Arbitrary<readonly Step[]> {
  const { whole, part } = drawnOf(kind);
  const next = fc.oneof(
    { arbitrary: applies(part), weight: 5 },
    { arbitrary: updates(holed(part)), weight: 2 },
    { arbitrary: patches(fc.constantFrom(merge, strategic), holed(part)), weight: 3 },
    { arbitrary: patches(fc.constant(json), operations), weight: 1 },
  );
  return fc
    .tuple(fc.oneof(applies(whole), updates(whole)), fc.array(next, { minLength: 7, maxLength: 7 }))
    .map(([first, more]) => [first, ...more]);
}

function applies(stated: fc.Arbitrary<JsonObject>): fc.Arbitrary<Step> {
  const how = fc.constant('apply' as const);
  return fc.record({ how, manager, force: fc.boolean(), stated });
}

function updates(stated: fc.Arbitrary<JsonObject>): fc.Arbitrary<Step> {
  return fc.record({ how: fc.constant('update' as const), manager, stated });
}

function patches(
  contentType: fc.Arbitrary<string>,
  patch: fc.Arbitrary<unknown>,
): fc.Arbitrary<Step> {
  return fc.record({ how: fc.constant('patch' as const), manager, contentType, patch });
}
