import { describe, expect, it } from 'vitest';
import { defaultSettings, loadSettings, sayProblem } from '#shared/runtime/config/load.ts';

const load = (text: string) => loadSettings(text, { file: 'gatehouse.yaml' });

function said(text: string): readonly string[] {
  const loaded = load(text);
  return loaded.ok ? [] : loaded.problems.map(sayProblem);
}

describe('loadSettings', () => {
  it.each([
    ['an empty object', '{}\n'],
    ['nothing but a comment', '# all as it is\n'],
    ['a document with its marks', '---\n{}\n...\n'],
    ['a byte order mark', '\uFEFF{}\n'],
  ])('takes %s for the defaults', (_, text) => {
    expect(load(text)).toEqual({ ok: true, settings: defaultSettings });
  });

  it('sets what is written and leaves the rest', () => {
    expect(load('nodeAffinity:\n  pools: [blue]\n  weight: 20\n')).toEqual({
      ok: true,
      settings: {
        ...defaultSettings,
        nodeAffinity: { ...defaultSettings.nodeAffinity, pools: ['blue'], weight: 20 },
      },
    });
  });

  it.each<[string, string, string, readonly string[]]>([
    ['nothing of logging', '{}', 'info', []],
    ['Warden’s level', 'imageTrust: { logging: { level: debug } }', 'debug', []],
    ['Warden’s last word', 'imageTrust: { logging: { level: fatal } }', 'error', []],
    [
      'both, the same',
      'log: { level: warn }\nimageTrust: { logging: { level: warn } }',
      'warn',
      [],
    ],
    ['our level alone', 'log: { level: warn }\nimageTrust: { logging: {} }', 'warn', []],
    [
      'both, and not the same',
      'log: { level: info }\nimageTrust: { logging: { level: debug } }',
      'info',
      ['imageTrust.logging.level: not used; log.level decides, which is info'],
    ],
    [
      'text',
      'imageTrust: { logging: { format: text } }',
      'info',
      ['imageTrust.logging.format: not used; what is logged is JSON'],
    ],
  ])('has one level for all that is logged where it says %s', (_, text, level, warnings) => {
    const loaded = load(text);
    expect(loaded).toMatchObject({ ok: true, settings: { log: { level } } });
    const told = loaded.ok ? (loaded.warnings ?? []) : undefined;
    expect(told).toEqual(warnings.map((each) => `gatehouse.yaml: ${each}`));
  });

  it('hands out settings that nobody can change', () => {
    const loaded = load('nodeAffinity: { pools: [blue] }');
    const pools = loaded.ok ? loaded.settings.nodeAffinity.pools : [];
    expect(() => pools.push('red')).toThrow(TypeError);
    expect(() => defaultSettings.capabilities.push('x')).toThrow(TypeError);
  });

  it('reads anchors, and settings of functions that it does not know', () => {
    const text = 'custom:\n  a: &limits { cpu: 1 }\n  b: *limits\n';
    expect(load(text)).toMatchObject({ ok: true, settings: { custom: { b: { cpu: 1 } } } });
  });

  it.each([
    [
      'a value out of range',
      'nodeAffinity:\n  weight: 500\n',
      'gatehouse.yaml:2:11: nodeAffinity.weight: expected a weight from 1 to 100, found 500',
    ],
    [
      'a number written as text',
      'server:\n  port: "9443"\n',
      'gatehouse.yaml:2:9: server.port: expected a number, found "9443"',
    ],
    ...['follow-pool.default.svc', 'ftp://x', 'http://u:p@host/', 'follow-pool:8080', ''].map(
      (url): [string, string, string] => [
        `${JSON.stringify(url)} as the URL of a service`,
        `worker:\n  services:\n    follow-pool: ${JSON.stringify(url)}\n`,
        `gatehouse.yaml:3:18: worker.services.follow-pool: expected a URL such as http://follow-pool.default.svc, without user and password, found ${JSON.stringify(url)}`,
      ],
    ),
    [
      'text where there are choices',
      'log: { level: loud }\n',
      'gatehouse.yaml:1:15: log.level: expected one of debug, info, warn, error, found "loud"',
    ],
    [
      'an item of a list',
      'nodeAffinity:\n  pools:\n    - blue\n    - 7\n',
      'gatehouse.yaml:4:7: nodeAffinity.pools[1]: expected text, found 7',
    ],
    [
      'a value below a key with dots',
      'nodeAffinity:\n  namespaceSelector:\n    matchLabels:\n      a.b/c: 1\n',
      'gatehouse.yaml:4:14: nodeAffinity.namespaceSelector.matchLabels.a.b/c: expected text, found 1',
    ],
    [
      'a key that is missing',
      'nodeAffinity:\n  namespaceSelector:\n    matchExpressions:\n      - key: a\n',
      'gatehouse.yaml:4:9: nodeAffinity.namespaceSelector.matchExpressions[0].operator: expected one of In, NotIn, Exists, DoesNotExist, found nothing',
    ],
    [
      'a group that is empty',
      'nodeAffinity:\nlog: {}\n',
      'gatehouse.yaml:1:14: nodeAffinity: expected an object, found null',
    ],
    ['a list as the whole', '- a\n', 'gatehouse.yaml:1:1: expected an object, found a list'],
    [
      'a key with a typing error',
      'nodeAffinity:\n  weight: 5\n  pool: [blue]\n',
      'gatehouse.yaml:3:3: nodeAffinity.pool: expected a known key, found an unknown key; did you mean nodeAffinity.pools?',
    ],
    [
      'a key in another spelling',
      'node-affinity: {}\n',
      'gatehouse.yaml:1:1: node-affinity: expected a known key, found an unknown key; did you mean nodeAffinity?',
    ],
    [
      'a key in the wrong place',
      'log: {}\npools: [blue]\n',
      'gatehouse.yaml:2:1: pools: expected a known key, found an unknown key; did you mean nodeAffinity.pools?',
    ],
    [
      'a key inside of a list',
      'nodeAffinity:\n  namespaceSelector:\n    matchExpressions: [{ key: a, operators: In, operator: Exists }]\n',
      'gatehouse.yaml:3:34: nodeAffinity.namespaceSelector.matchExpressions[0].operators: expected a known key, found an unknown key; did you mean nodeAffinity.namespaceSelector.matchExpressions[].operator?',
    ],
    [
      'a key that is near to two',
      'certificates: { lefLifetime: 1h }\n',
      'gatehouse.yaml:1:17: certificates.lefLifetime: expected a known key, found an unknown key; did you mean certificates.leafLifetime?',
    ],
    [
      'a key like no other',
      'installation:\n  wallpaper: blue\n',
      'gatehouse.yaml:2:3: installation.wallpaper: expected one of namespace, service, cluster, exemptNamespaces, found an unknown key',
    ],
    [
      'a key that stands twice',
      'log:\n  level: info\n  level: debug\n',
      'gatehouse.yaml:3:3: expected each key once, found level again',
    ],
    [
      'a second document',
      'log: {}\n---\nlog: {}\n',
      'gatehouse.yaml:2:1: expected one document, found another one, after ---',
    ],
    [
      'broken YAML',
      'log:\n\tlevel: info\n',
      'gatehouse.yaml:2:1: expected valid YAML, found Tabs are not allowed as indentation',
    ],
    [
      'a tag of somebody else',
      'log: !secret x\n',
      'gatehouse.yaml:1:6: expected valid YAML, found Unresolved tag: !secret',
    ],
    [
      'an alias without its anchor',
      'log: *x\n',
      'gatehouse.yaml:1:6: expected an anchor before it, found *x',
    ],
    [
      'an alias inside of what it repeats',
      'custom: &a { b: [*a] }\n',
      'gatehouse.yaml:1:18: expected an anchor outside of it, found *a',
    ],
    [
      'a way out to a database at no port, which a policy would take for all',
      'database: { ports: [] }\n',
      'gatehouse.yaml:1:20: database.ports: expected at least one port, found a list',
    ],
    [
      'a lease that would count as one from before the clock was set back',
      'forwarder: { leaseMs: 300001 }\n',
      'gatehouse.yaml:1:23: forwarder.leaseMs: expected at most 300000, found 300001',
    ],
    [
      'a cluster by a name that no key of the queue has room for',
      `installation: { cluster: ${'c'.repeat(101)} }\n`,
      `gatehouse.yaml:1:26: installation.cluster: expected a name of at most 100 characters, found "${'c'.repeat(59)}`,
    ],
    ['a file without a byte', '', 'gatehouse.yaml: expected settings ({} for the defaults)'],
    [
      'more than a ConfigMap can hold',
      `#${'x'.repeat(1024 * 1024)}`,
      'gatehouse.yaml: expected at most 1048576 bytes, found more',
    ],
  ])('says where and why, given %s', (_, text, expected) => {
    expect(said(text)).toEqual([expected]);
  });

  it('names all problems, not only the first', () => {
    expect(said('log: { level: loud, prety: true }\nserver: { port: -1 }\n')).toHaveLength(3);
  });

  it('does not unfold a bomb of aliases', () => {
    const fold = (n: number) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(10)}]\n`;
    const bomb = `a0: &a0 [x]\n${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(fold).join('')}`;
    expect(said(bomb)).toEqual([expect.stringContaining('Excessive alias count')]);
  });

  it.each([
    ['lists', `custom: ${'['.repeat(20_000)}`],
    ['objects', `custom: ${'{a: '.repeat(20_000)}`],
    ['well-formed lists', `custom: { a: ${'['.repeat(5_000)}${']'.repeat(5_000)} }`],
  ])('answers for %s nested without an end', (_, text) => {
    expect(load(text)).toBeDefined();
  });

  it('finds a repeated key among many, in a time that grows as their number', () => {
    const many = (count: number) =>
      `custom:\n${Array.from({ length: count }, (_, n) => `  k${n}: 1\n`).join('')}  k0: 2\n`;
    // Of this thread: other tests may be running beside it.
    const costOf = (text: string) => {
      const before = process.threadCpuUsage();
      load(text);
      return process.threadCpuUsage(before).user;
    };
    const best = (text: string) => Math.min(...[1, 2, 3].map(() => costOf(text)));

    expect(said(many(4_000))).toEqual([
      'gatehouse.yaml:4002:3: expected each key once, found k0 again',
    ]);
    // Four times the keys: 4 where it is linear, 16 where each is compared with each.
    expect(best(many(16_000)) / best(many(4_000))).toBeLessThan(8);
  });

  it('keeps a key called __proto__ a key', () => {
    expect(said('__proto__: { log: {} }\n')).toEqual([
      expect.stringContaining('__proto__: expected one of capabilities'),
    ]);
  });
});
