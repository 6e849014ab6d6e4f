import { describe, expect, it } from 'vitest';
import { normalised } from './normalising.ts';

describe('what kubectl prints loses', () => {
  it.each([
    ['times', 'creationTimestamp: "2026-01-02T03:04:05Z"', 'creationTimestamp: "<time>"'],
    ['ages in columns', 'web   0/1     Pending   3m12s', 'web  0/1  Pending  <age>'],
    ['unknown ages', 'often   <unknown>', 'often  <age>'],
    ['uids', 'uid: 0f8fad5b-d9cb-469f-a165-70867728950e', 'uid: <uid>'],
    ['versions', '  resourceVersion: "412"', '  resourceVersion: "<version>"'],
    ['addresses', 'IP:  10.96.12.3', 'IP:  <address>'],
    ['the server', 'running at https://127.0.0.1:20041', 'running at <server>'],
    ['the namespace', 'pods in "played"', 'pods in "<namespace>"'],
  ])('%s', (_, said, left) => {
    expect(normalised(said, 'played')).toBe(left);
  });

  it.each([
    ['a count', '0/3     0            0'],
    ['a limit', 'cpu: 100m'],
    ['a limit in JSON', '{"cpu":"100m"}'],
    ['a name', 'nginx-5d'],
    ['a schedule', '*/5 * * * *'],
  ])('but not %s', (_, said) => {
    expect(normalised(said, 'played').replaceAll(/ +/g, ' ')).toBe(said.replaceAll(/ +/g, ' '));
  });
});
