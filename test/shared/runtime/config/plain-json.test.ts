import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainJson } from '#shared/runtime/config/plain-json.ts';
import { parseYaml } from '#shared/runtime/config/yaml.ts';

describe('plainJson', () => {
  it('reads what a program wrote as YAML reads it', () => {
    const word = fc.stringMatching(/^[ -~]{0,8}$/);
    const leaf = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null));
    const settings = fc.dictionary(word, fc.oneof(leaf, fc.array(leaf), fc.dictionary(word, leaf)));

    fc.assert(
      fc.property(settings, (value) => {
        const text = JSON.stringify(value);
        const plain = plainJson(text);
        // Keys that look like numbers change their places, so that YAML is asked.
        if (plain === undefined) return;
        expect(parseYaml(text)).toMatchObject({ ok: true });
        const parsed = parseYaml(text);
        expect(parsed.ok && parsed.value).toEqual(plain);
      }),
    );
    expect(plainJson('{"server":{"port":1}}\n')).toEqual({ server: { port: 1 } });
  });

  it.each([
    ['a key that stands twice', '{"log":{},"log":{}}'],
    ['spaces that no program writes', '{ "log": {} }'],
    ['a comment', '{"log":{}} # all'],
    ['what is no JSON', '{log: {}}'],
    ['what is no object', '"log"'],
    ['a number that JSON writes otherwise', '{"server":{"port":1.0}}'],
    ['a number that is none', '{"server":{"port":1e999}}'],
    ['nothing', ''],
  ])('leaves %s to YAML', (_, text) => {
    expect(plainJson(text)).toBeUndefined();
  });
});
