import { describe, expect, it } from 'vitest';
import { namedIn } from '#shared/adapters/cluster/stream/named-in.ts';

const typed =
  '{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"team-a","uid":"u"},"data":{"name":"no","x":"';

describe('namedIn', () => {
  it.each<[string, string, string | undefined, string | undefined]>([
    ['an object whose metadata comes first', typed, 'a', 'team-a'],
    [
      'an object whose annotations come before the name',
      '{"type":"ADDED","object":{"apiVersion":"v1","metadata":{"annotations":{"name":"no","x":"{\\"metadata\\":{\\"name\\":\\"no\\"}}"},"name":"a","namespace":"team-a"},"spec":"',
      'a',
      'team-a',
    ],
    [
      'an object without a namespace',
      '{"type":"ADDED","object":{"metadata":{"name":"a","labels":{"namespace":"no"}},"spec":"',
      'a',
      undefined,
    ],
    [
      'an owner of another name',
      '{"type":"ADDED","object":{"metadata":{"ownerReferences":[{"name":"no"}],"name":"a"},"x":"',
      'a',
      undefined,
    ],
    [
      'metadata that is somebody else’s',
      '{"type":"ADDED","object":{"spec":{"template":{"metadata":{"name":"no"}}},"x":"',
      undefined,
      undefined,
    ],
    [
      'a beginning that ends before the name',
      '{"type":"ADDED","object":{"metadata":{"name":"ab',
      undefined,
      undefined,
    ],
    ['what is no JSON', 'x'.repeat(100), undefined, undefined],
    ['nothing', '', undefined, undefined],
  ])('reads %s', (_, head, name, namespace) => {
    expect(namedIn(head)).toEqual({ name, namespace });
  });

  it('looks once at a text that does not end, however many quotes are in it', () => {
    const head = `{"object":{"metadata":{"annotations":{"x":"${'\\"'.repeat(200_000)}`;
    const began = performance.now();
    expect(namedIn(head)).toEqual({ name: undefined, namespace: undefined });
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
