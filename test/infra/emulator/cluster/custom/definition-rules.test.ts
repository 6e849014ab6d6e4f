import { describe, expect, it } from 'vitest';
import { definitionRules } from '#infra/emulator/cluster/custom/definition/definition-rules.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { decoded } from '#infra/emulator/cluster/schemas/decode.ts';
import { builtInSchema } from '#infra/emulator/cluster/schemas/open-schemas.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { definitionCases } from './definition-cases.ts';
import { foos } from './foos.ts';

const at = { now: new Date('2030-01-01T00:00:00Z'), user: { name: 'me', groups: [] } };
const type = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

function created(definition: JsonObject): JsonObject {
  const read = decoded(definition, builtInSchema(type) ?? {}, 'Strict');
  if (isRefusal(read)) throw new Error(JSON.stringify(read.body));
  return definitionRules.created(definitionRules.defaulted(read.object), at);
}

function told(next: JsonObject, before?: JsonObject): readonly string[] {
  return definitionRules
    .checked(next, before)
    .map(({ field, message }) => `${field}: ${message}`)
    .sort();
}

describe('a written definition', () => {
  it.each(definitionCases)(
    'is refused in the words of the real server when changed by %j',
    (change, errors) => {
      expect(told(created(foos(change)))).toEqual(errors);
    },
  );

  it('is taken when nothing is wrong with it, and has what the server states', () => {
    const made = created(foos());
    expect(told(made)).toEqual([]);
    expect(made).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
        conversion: { strategy: 'None' },
      },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
    });
  });

  it('is defaulted twice as once', () => {
    const once = definitionRules.defaulted(foos());
    expect(definitionRules.defaulted(once)).toEqual(once);
  });

  it('takes rules and restrictions of the names in its metadata', () => {
    const properties = {
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 4 } } },
    };
    const inSpec = { 'x-kubernetes-validations': [{ rule: 'self.n > 1', message: 'too small' }] };
    expect(told(created(foos({ properties, inSpec })))).toEqual([]);
  });

  it('is refused for a rule whose loops are nested too deep', () => {
    const loops = ['a', 'b', 'c', 'd'].reduceRight(
      (inner, name) => `self.all(${name}, ${inner})`,
      'true',
    );
    const list = { type: 'array', maxItems: 9, items: { type: 'string' } };
    const x = (rule: string) => ({ ...list, 'x-kubernetes-validations': [{ rule }] });
    expect(told(created(foos({ x: x(loops) })))).toEqual([
      expect.stringContaining('Forbidden: estimated rule cost exceeds budget'),
    ]);
    expect(told(created(foos({ x: x('self.all(a, self.exists(b, a == b))') })))).toEqual([]);
  });

  it('counts a generation up for a changed spec only', () => {
    const before = created(foos());
    const same = definitionRules.updated({ ...before, status: {} }, before, at);
    const more = definitionRules.updated(created(foos({ x: { type: 'string' } })), before, at);
    expect(same).toEqual(before);
    expect(more).toMatchObject({ metadata: { generation: 2 } });
  });

  it('remembers every version that was once stored, and does not let it go', () => {
    const before = created(foos());
    const other = { ...foos({ version: { name: 'v2' } }) };
    const after = definitionRules.updated(definitionRules.defaulted(other), before, at);
    expect(after).toMatchObject({ status: { storedVersions: ['v1', 'v2'] } });
    expect(told(after, before)).toEqual([
      expect.stringMatching(
        /^status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions; v1 was/,
      ),
    ]);
  });

  it('keeps its group and plural, and once established its kind and scope', () => {
    const before = created(foos());
    const established = {
      ...before,
      status: { ...status(before), conditions: [{ type: 'Established', status: 'True' }] },
    };
    const next = created(
      foos({ spec: { scope: 'Cluster', names: { plural: 'foos', kind: 'Bar' } } }),
    );
    expect(told(next, before)).toEqual([]);
    expect(told(next, established)).toEqual([
      'spec.names.kind: Invalid value: "Bar": field is immutable',
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
  });

  it('is warned of formats that mean nothing', () => {
    const odd = created(foos({ x: { type: 'string', format: 'semver' } }));
    const known = created(foos({ x: { type: 'string', format: 'date-time' } }));
    expect(definitionRules.warnings(odd)).toEqual(['unrecognized format "semver"']);
    expect(definitionRules.warnings(known)).toEqual([]);
  });
});

function status({ status: stated }: JsonObject): JsonObject {
  return isJsonObject(stated) ? stated : {};
}
