import { describe, expect, it } from 'vitest';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';

const pod = {
  metadata: { labels: { app: 'web' }, annotations: null, name: 'web-1' },
  spec: { priority: 7, containers: [{ image: 'a:1' }, { image: 'b:2' }], weight: 0.5 },
};
const variables = { object: pod, oldObject: null, request: { operation: 'CREATE', dryRun: false } };

function holds(expression: string): boolean {
  const compiled = compileCondition(expression);
  if (!compiled.ok) throw new Error(compiled.why);
  return compiled.holds(variables);
}

describe('a match condition', () => {
  it.each<[string, boolean]>([
    ["object.metadata.labels['app'] == 'web'", true],
    ["has(object.metadata.labels) && 'app' in object.metadata.labels", true],
    ['has(object.metadata.annotations)', false],
    ['has(object.metadata.ownerReferences)', false],
    ['object.spec.priority + 1 == 8', true],
    ['object.spec.priority % 2 == 1', true],
    ['object.spec.weight < 1.0', true],
    ["object.spec.containers.all(c, c.image.matches('^[a-z]:[0-9]$'))", true],
    ["object.spec.containers.exists(c, c.image.startsWith('b:'))", true],
    ["request.operation == 'CREATE' && !request.dryRun", true],
    ['oldObject == null', true],
    ['oldObject != null && oldObject.spec == object.spec', false],
    ["object.?metadata.?labels.?tier.orValue('none') == 'none'", true],
    ['object == object', true],
    ['dyn(object).spec.priority == 7', true],
  ])('%s is %s', (expression, expected) => {
    expect(holds(expression)).toBe(expected);
  });

  it.each([
    'object.metadata.generateName == "x"',
    'object.constructor == null',
    'object.spec.containers[7].image == "a"',
  ])('%s fails where there is nothing, and does not guess', (expression) => {
    expect(() => holds(expression)).toThrow();
  });

  it.each<[string, RegExp]>([
    ['object.', /IDENTIFIER/],
    ["authorizer.group('').check('x').allowed()", /Unknown variable: authorizer/],
    ['1 + 1', /neither true nor false/],
    ["object.metadata.name.matches(object.metadata.labels['app'])", /literal RE2 pattern/],
    ["object.metadata.name.matches('(?=a)b')", /literal RE2 pattern/],
    ["object.metadata.name.matches('(a)\\\\1')", /literal RE2 pattern/],
    ['object.a.all(x, object.b.all(y, object.c.all(z, true)))', /loops are nested 3 deep/],
  ])('%s is refused with its reason', (expression, why) => {
    const compiled = compileCondition(expression);
    expect(compiled.ok ? 'compiled' : compiled.why).toMatch(why);
  });

  it('is refused when it is too long to be cheap', () => {
    expect(compileCondition(Array(300).fill('true').join(' && ')).ok).toBe(false);
  });

  it('is not misled by a label called constructor', () => {
    const compiled = compileCondition("'constructor' in object.metadata.labels");
    const labels = { constructor: 'x' };
    const asked = { ...variables, object: { metadata: { labels } } };
    expect(compiled.ok && compiled.holds(asked)).toBe(true);
  });

  it('does not hang on a pattern that backtracks', () => {
    const compiled = compileCondition("object.matches('^(a+)+$')");
    const started = performance.now();
    if (compiled.ok)
      compiled.holds({ object: `${'a'.repeat(34)}!`, oldObject: null, request: null });
    expect(performance.now() - started).toBeLessThan(500);
  });
});
