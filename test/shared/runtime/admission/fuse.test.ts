import { describe, expect, it } from 'vitest';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { type AdmissionFunction, defineAdmission } from '#shared/define.ts';
import { anything, record, text } from '#shared/domain/decode.ts';
import { allow, deny, patch, type Verdict } from '#shared/domain/verdict.ts';
import { ask, patched, podWith, reviewOf, stage } from '../../../support/admission.ts';
import addLandscape from '../../../support/functions/add-landscape.ts';
import mirrorRegistry from '../../../support/functions/mirror-registry.ts';
import stampImages, { stamp } from '../../../support/functions/stamp-images.ts';

const samples = [addLandscape, stampImages, mirrorRegistry];
const path = '/mutate/pods';

/** A function that differs from the sample in what is stated. */
function like(
  name: string,
  stated: Partial<AdmissionFunction>,
  handler: () => Verdict | Promise<Verdict> = () => allow(),
): AdmissionFunction {
  return { ...defineAdmission({ ...mirrorRegistry, schema: anything, name, handler }), ...stated };
}

const annotate = (value: string) => () =>
  patch([{ op: 'add', path: '/metadata/labels', value: { [value]: value }, why: 'said so' }]);

describe('one call for every pod mutation', () => {
  it('runs bootstrap, image trust, affinity and then the rest, each on what the one before left', async () => {
    const { app, counted } = await stage({ functions: samples });
    const pod = podWith('registry.test/a:1');
    const answer = await ask(app, path, reviewOf({ object: pod }));

    expect(counted.filter(({ what }) => what === 'ran').map(({ name }) => name)).toEqual([
      'mirror-registry',
      'stamp-images',
      'add-landscape',
    ]);
    expect(patched(pod, answer)).toMatchObject({
      metadata: { annotations: { [stamp]: 'mirror.test/a:1' } },
      spec: { containers: [{ image: 'mirror.test/a:1', env: [{ name: 'LANDSCAPE' }] }] },
    });
  });

  it('changes nothing the second time', async () => {
    const { app } = await stage({ functions: samples });
    const pod = podWith('registry.test/a:1', 'b:2');
    const once = patched(pod, await ask(app, path, reviewOf({ object: pod })));
    expect((await ask(app, path, reviewOf({ object: once }))).operations).toEqual([]);
  });

  it('drops operations that would change nothing', async () => {
    const same = like('same', {}, () =>
      patch([{ op: 'replace', path: '/spec/containers/0/name', value: 'c0', why: '' }]),
    );
    const { app } = await stage({ functions: [same] });
    expect((await ask(app, path, reviewOf({ object: podWith('a') }))).operations).toEqual([]);
  });

  it('refuses the request as soon as one function denies', async () => {
    const strict = like('strict', { capability: 'pod-bootstrap' }, () => deny('no', 'never'));
    const { app, counted } = await stage({ functions: [strict, stampImages] });
    const answer = await ask(app, path, reviewOf({ object: podWith('a') }));

    expect(answer).toMatchObject({ allowed: false, message: 'no; never', operations: [] });
    expect(counted.some(({ name }) => name === 'stamp-images')).toBe(false);
  });
});

describe('who is left out', () => {
  const asked = async (request: Parameters<typeof reviewOf>[0], functions = samples) => {
    const { app, counted } = await stage({ functions });
    await ask(app, path, reviewOf(request));
    return counted.filter(({ what, kind }) => what === 'ran' && kind !== 'left-out');
  };
  const named = (counted: readonly { name: string }[]) => counted.map(({ name }) => name);

  it.each<[string, Parameters<typeof reviewOf>[0], string[]]>([
    ['by operation', { operation: 'UPDATE', old: podWith('a') }, ['stamp-images']],
    [
      'by subresource',
      { subResource: 'ephemeralcontainers', operation: 'UPDATE' },
      ['stamp-images'],
    ],
    ['by resource', { resource: 'services' }, []],
    ['by the namespace', { namespace: 'team-b' }, ['mirror-registry', 'add-landscape']],
  ])('%s', async (_, request, expected) => {
    expect(named(await asked({ object: podWith('a'), ...request }))).toEqual(expected);
  });

  it('by the labels of the object', async () => {
    const selective = like('selective', { objectSelector: {} } as Partial<AdmissionFunction>);
    const only = {
      ...selective,
      trigger: { ...selective.trigger, objectSelector: { matchLabels: { app: 'web' } } },
    };
    const labelled = { ...podWith('a'), metadata: { labels: { app: 'web' } } };
    expect(named(await asked({ object: labelled }, [only as never]))).toEqual(['selective']);
    expect(named(await asked({ object: podWith('a') }, [only as never]))).toEqual([]);
  });

  it('by a CEL condition, which sees the object as it has become', async () => {
    const out = { ...podWith('a'), metadata: { labels: { 'no-landscape': 'x' } } };
    expect(named(await asked({ object: out }, [addLandscape as never]))).toEqual([]);

    const first = like('first', { capability: 'pod-bootstrap' }, annotate('no-landscape'));
    const names = named(await asked({ object: podWith('a') }, [first, addLandscape] as never));
    expect(names).toEqual(['first']);
  });
});

describe('a function that fails contributes nothing while the others stand', () => {
  const never = new Promise<Verdict>(() => {});
  it.each<[string, string, AdmissionFunction]>([
    [
      'throws',
      'threw',
      like('bad', {}, () => {
        throw new Error('secret internals');
      }),
    ],
    ['rejects', 'threw', like('bad', {}, () => Promise.reject(new Error('secret internals')))],
    ['takes too long', 'overran', like('bad', { deadlineMs: 5 }, () => never)],
    ['cannot read the object', 'object-refused', like('bad', { schema: record({ spec: text }) })],
    [
      'changes what may not change',
      'out-of-bounds',
      like(
        'bad',
        { trigger: { resources: ['pods'], operations: ['UPDATE', 'CREATE'] } },
        annotate('x'),
      ),
    ],
    [
      'says what does not fit the object',
      'misfit',
      like('bad', {}, () => patch([{ op: 'remove', path: '/spec/nothing/here', why: '' }])),
    ],
    ...(
      [
        ['warns with a number', { kind: 'allow', warnings: [5] }],
        ['annotates with a number', { kind: 'allow', audit: { a: 5 } }],
        [
          'changes with another operation',
          { kind: 'patch', changes: [{ op: 'test', path: '/a', value: 1 }] },
        ],
        [
          'changes the whole object',
          { kind: 'patch', changes: [{ op: 'add', path: '', value: {} }] },
        ],
        ['changes to nothing', { kind: 'patch', changes: [{ op: 'add', path: '/a' }] }],
        [
          'changes to what is no JSON',
          { kind: 'patch', changes: [{ op: 'add', path: '/a', value: 5n }] },
        ],
        ['denies with a broken code', { kind: 'deny', reasons: ['x'], code: 499.5 }],
      ] as const
    ).map(([what, verdict]): [string, string, AdmissionFunction] => [
      what,
      'no-verdict',
      like('bad', {}, () => verdict as never),
    ]),
    ['says nothing', 'no-verdict', like('bad', {}, () => undefined as never)],
    [
      'denies with a code that is no refusal',
      'no-verdict',
      like('bad', {}, () => ({ ...deny('x'), code: 200 })),
    ],
    ['patches without changes', 'no-verdict', like('bad', {}, () => ({ kind: 'patch' }) as never)],
    [
      'has a condition that cannot be evaluated',
      'condition-failed',
      like('bad', {
        trigger: {
          ...mirrorRegistry.trigger,
          matchConditions: [{ name: 'deep', expression: 'object.spec.nothing.here == 1' }],
        },
      }),
    ],
  ])('because it %s', async (_, kind, bad) => {
    const { app, counted, logged } = await stage({ functions: [bad, stampImages] });
    const request =
      kind === 'out-of-bounds'
        ? {
            object: podWith('b'),
            old: podWith('a'),
            subResource: 'resize',
            operation: 'UPDATE' as const,
          }
        : { object: podWith('a') };
    const astray = {
      ...bad,
      trigger: { ...bad.trigger, resources: ['pods', 'pods/resize'] as const },
    };
    const stagedAgain = kind === 'out-of-bounds' ? await stage({ functions: [astray] }) : undefined;
    const answer = await ask(stagedAgain?.app ?? app, path, reviewOf(request));

    expect(answer.allowed).toBe(true);
    expect(answer.warnings.join()).toMatch(/^bad could not answer/);
    expect(answer.warnings.join()).not.toMatch(/secret|internals/);
    expect((stagedAgain?.counted ?? counted).filter(({ what }) => what === 'failed')).toEqual([
      { what: 'failed', name: 'bad', kind },
    ]);
    if (stagedAgain !== undefined) return;
    expect(JSON.stringify(answer.operations)).toContain(stamp);
    expect(logged.find(({ level }) => level === 'warn')?.fields).toMatchObject({ function: 'bad' });
  });

  it('because its namespace cannot be read', async () => {
    const away = () => Promise.reject(new Error('no cluster'));
    const namespaces = { ...namespacesInMemory(), find: away, findLive: away };
    const { app, counted } = await stage({ functions: samples, namespaces });
    const answer = await ask(app, path, reviewOf({ object: podWith('registry.test/a') }));

    expect(answer.warnings).toHaveLength(1);
    expect(answer.operations).toHaveLength(2);
    expect(counted).toContainEqual({
      what: 'failed',
      name: 'stamp-images',
      kind: 'namespace-unknown',
    });
  });

  it('because the cluster does not tell of its namespace in time', async () => {
    const hang = () => new Promise<never>(() => {});
    const namespaces = { ...namespacesInMemory(), find: hang, findLive: hang };
    const { app, counted } = await stage({ functions: samples, namespaces });
    const object = podWith('registry.test/a');
    const answer = await ask(app, `${path}?timeout=1s`, reviewOf({ object }));

    expect(answer.operations).toHaveLength(2);
    expect(counted).toContainEqual({
      what: 'failed',
      name: 'stamp-images',
      kind: 'namespace-unknown',
    });
  });

  it('and its late result is dropped and counted', async () => {
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const slow = like('slow', { deadlineMs: 5 }, () => promise);
    const { app, counted } = await stage({ functions: [slow] });
    const answer = await ask(app, path, reviewOf({ object: podWith('a') }));
    resolve(deny('too late'));
    await promise;
    await Promise.resolve();

    expect(answer.allowed).toBe(true);
    expect(counted).toContainEqual({ what: 'late', name: 'slow', kind: '' });
  });

  it('but not while a debugger may stand in it', async () => {
    const slow = like('slow', { deadlineMs: 60_000 }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return deny('after all');
    });
    const { app } = await stage({ functions: [slow], isUntimed: () => true });
    const answer = await ask(app, `${path}?timeout=10ms`, reviewOf({ object: podWith('a') }));
    expect(answer).toMatchObject({ allowed: false });
  });

  it('and leaves the rest of the time to the others', async () => {
    const slow = like('slow', { deadlineMs: 60_000, capability: 'pod-bootstrap' }, () => never);
    const { app } = await stage({ functions: [slow, stampImages] });
    const answer = await ask(app, `${path}?timeout=50ms`, reviewOf({ object: podWith('a') }));
    expect(answer.warnings).toHaveLength(2);
    expect(answer.allowed).toBe(true);
  });
});

describe('a function with a condition that we cannot evaluate', () => {
  const trigger = {
    ...mirrorRegistry.trigger,
    matchConditions: [{ name: 'who', expression: "authorizer.group('').check('x').allowed()" }],
  };

  it('is an entry of its own, where the API server evaluates it', async () => {
    const { app, bound } = await stage({ functions: [{ ...mirrorRegistry, trigger } as never] });
    const review = reviewOf({ object: podWith('registry.test/a:1') });

    expect(bound[0]?.unfit).toMatch(/^condition who: Unknown variable: authorizer/);
    expect((await app.request(path, { method: 'POST', body: JSON.stringify(review) })).status).toBe(
      404,
    );
    expect((await ask(app, '/mutate/mirror-registry', review)).operations).toHaveLength(1);
  });
});

describe('a function that fails closed', () => {
  const closed = (stated: Partial<AdmissionFunction>, handler?: () => Verdict) =>
    like('closed', { phase: 'validate', onFailure: 'deny', ...stated }, handler);
  const selector = { setting: 'custom.none', fallback: { matchLabels: { guarded: 'yes' } } };
  const trigger = { ...mirrorRegistry.trigger, namespaceSelector: selector };
  const guarded = { name: 'team-a', uid: 'u', annotations: {}, labels: { guarded: 'yes' } };

  it('denies when it cannot answer, and says only the request', async () => {
    const bad = closed({}, () => {
      throw new Error('password=hunter2');
    });
    const { app } = await stage({ functions: [bad] });
    const answer = await ask(
      app,
      '/validate/closed',
      reviewOf({ object: podWith('a'), uid: 'u-9' }),
    );

    expect(answer).toMatchObject({ allowed: false, code: 500 });
    expect(answer.message).toBe('closed could not answer (request u-9)');
  });

  it('is never part of the shared entry', async () => {
    const { app } = await stage({ functions: [closed({ phase: 'mutate' }), stampImages] });
    await ask(app, path, reviewOf({ object: podWith('a') }));
    expect((await ask(app, '/mutate/closed', reviewOf({ object: podWith('a') }))).allowed).toBe(
      true,
    );
  });

  it.each<[string, object | undefined, boolean]>([
    ['runs where the live namespace says so', guarded, false],
    ['lets through where the live one says no as well', { ...guarded, labels: {} }, true],
    ['lets through where the live one is gone', undefined, true],
  ])('does not trust a cache that says "not mine": %s', async (_, live, allowed) => {
    const stale = namespacesInMemory({ name: 'team-a' });
    const namespaces = { ...stale, findLive: async () => live as never };
    const bad = closed({ trigger }, () => deny('guarded'));
    const { app } = await stage({ functions: [bad], namespaces });
    const answer = await ask(app, '/validate/closed', reviewOf({ object: podWith('a') }));
    expect(answer.allowed).toBe(allowed);
  });

  it('denies when neither the cache nor the cluster knows', async () => {
    const stale = namespacesInMemory({ name: 'team-a' });
    const namespaces = { ...stale, findLive: () => Promise.reject(new Error('away')) };
    const { app } = await stage({ functions: [closed({ trigger })], namespaces });
    const answer = await ask(app, '/validate/closed', reviewOf({ object: podWith('a') }));
    expect(answer).toMatchObject({ allowed: false, code: 500 });
  });
});

describe('a deadline', () => {
  it('reaches the handler as a signal', async () => {
    let aborted = false;
    const watchful = defineAdmission({
      ...mirrorRegistry,
      schema: anything,
      name: 'watchful',
      deadlineMs: 5,
      handler: ({ deadline }) =>
        new Promise<Verdict>((resolve) => {
          deadline.addEventListener('abort', () => {
            aborted = true;
            resolve(allow());
          });
        }),
    });
    const { app, counted } = await stage({ functions: [watchful] });
    await ask(app, path, reviewOf({ object: podWith('a') }));
    expect(aborted).toBe(true);
    expect(counted).toContainEqual({ what: 'failed', name: 'watchful', kind: 'overran' });
  });
});
