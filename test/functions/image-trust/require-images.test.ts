import { describe, expect, it } from 'vitest';
import requireTrustedImages from '#functions/image-trust/require-trusted-images.ts';
import requireUserImages from '#functions/image-trust/require-user-images.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Namespaces } from '#shared/ports.ts';
import { ask, podWith, reviewOf, stage } from '#test/support/admission.ts';
import { evil, good, type JudgeStated, trusted } from '#test/support/image-trust/judge-stated.ts';
import {
  type Asked,
  answered,
  invalid,
  known,
  mode,
  namespaces,
  ok,
  pinned,
  rejecting,
  signed,
} from '#test/support/image-trust/requiring.ts';

describe('the last word on a new pod', () => {
  it.each([
    ['lax', 'enabled', requireTrustedImages, 'platform'],
    ['enabled', 'user', requireUserImages, { namespace: 'user' }],
  ] as const)(
    'goes by the mode in which the API server asks: %s is remembered, it is %s',
    async (was, is, definition, owner) => {
      const judge = signed();
      const remembered = { ...(await namespaces.find(was)), name: is };
      const moved = { ...namespaces, find: namespacesInMemory(remembered).find };
      const { app } = await stage({
        functions: [definition],
        namespaces: moved,
        ports: { namespaces: moved, images: judge },
      });
      const review = reviewOf({ object: podWith(pinned), namespace: is });
      expect(await ask(app, `/validate/${definition.name}`, review)).toMatchObject(ok);
      expect(judge.judged.map(({ asked }) => asked.rules.owner)).toEqual([owner]);
    },
  );

  it.each([
    ['plain', 'enabled', 'platform'],
    ['lax', 'enabled', 'platform'],
    ['enabled', 'user', { namespace: 'user' }],
  ] as const)(
    'goes by what one live read says at the path that both share: %s is remembered, it is %s',
    async (was, is, owner) => {
      const judge = signed();
      const remembered = { ...(await namespaces.find(was)), name: is };
      const reads: string[] = [];
      const findLive: Namespaces['findLive'] = (name) => {
        reads.push(name);
        return namespaces.findLive(name);
      };
      const moved = { ...namespaces, find: namespacesInMemory(remembered).find };
      const { app } = await stage({
        functions: [requireTrustedImages, requireUserImages],
        namespaces: { ...moved, findLive },
        ports: { namespaces: moved, images: judge },
      });
      const review = reviewOf({ object: podWith(pinned), namespace: is });
      expect(await ask(app, '/validation/pods', review)).toMatchObject(ok);
      expect(judge.judged.map(({ asked }) => asked.rules.owner)).toEqual([owner]);
      expect(reads).toEqual([is]);
    },
  );

  it.each(['enabled', 'user'])(
    'T-V2 T-V3 lets through what was verified and pinned: %s',
    async (namespace) => {
      expect(await answered({ namespace, known, object: podWith(pinned) })).toMatchObject(ok);
    },
  );

  it.each<[string, string, string]>([
    ['with what is not signed', 'a.io/none:1', 'a.io/none:1: it is not signed'],
    ['whose tag was not pinned', 'a.io/web:1', 'a.io/web:1: it was not pinned; create it again'],
    [
      'with a digest that is not signed under this tag',
      `a.io/web:1@${evil}`,
      `a.io/web:1@${evil}: something else is signed under this name`,
    ],
  ])('refuses a pod %s', async (_, image, reason) => {
    const answer = await answered({ known: [image], object: podWith(image) });
    expect(answer).toMatchObject({
      allowed: false,
      code: 403,
      message: `Pod images ${image} validation failed; ${reason}`,
    });
  });

  it('asks about what nobody has verified, as of a sidecar that was injected after us', async () => {
    const judge = signed();
    const [good, bad] = [`a.io/side:1@${evil}`, `a.io/none:1@${evil}`];
    const { message } = await answered({ judge, known, object: podWith(pinned, good, bad) });
    expect(message).toBe(`Pod images ${bad} validation failed; ${bad}: it is not signed`);
    expect(judge.judged.at(-1)?.images).toEqual([good, bad]);
  });

  it('asks nobody again where all is known', async () => {
    const judge = signed();
    expect(await answered({ judge, known, object: podWith(pinned) })).toMatchObject(ok);
    expect(judge.judged.map(({ images }) => images)).toEqual([known]);
  });

  it('T-V1 names all that are at fault, sorted, each with its own reason', async () => {
    const images = ['z.io/b:1', 'b.io/a:1', 'a.io/web:1'];
    const { message } = await answered({ known: images, object: podWith(...images) });
    expect(message).toBe(
      [
        'Pod images a.io/web:1, b.io/a:1, z.io/b:1 validation failed',
        'a.io/web:1: it was not pinned; create it again',
        'b.io/a:1: it is not signed',
        'z.io/b:1: it is not signed',
      ].join('; '),
    );
  });

  const named = (count: number) =>
    Array.from({ length: count }, (_, at) => `${at}.io/${'a'.repeat(60)}:1`);

  it.each(['enabled', 'lax', 'broken'])(
    'refuses a pod of more images than are judged in words, and asks nobody: %s',
    async (namespace) => {
      const judge = signed();
      judge.away = new Set(named(501));
      const { allowed, message = '' } = await answered({
        judge,
        namespace,
        object: podWith(...named(501)),
      });
      expect(allowed).toBe(false);
      expect(message).toMatch(/^Pod images 0\.io\/a{60}:1, .*, and \d{3} more validation failed; /);
      const reason = 'its pod names more images than are judged (501, and 500 are the most)';
      expect(message).toContain(`; 0.io/${'a'.repeat(60)}:1: ${reason}; `);
      expect(judge.judged.flatMap(({ images }) => images)).toEqual([]);
    },
  );

  it('counts what a pod names often once', async () => {
    const judge = signed();
    const images = [...named(500), ...named(500)];
    await answered({ judge, object: podWith(...images) });
    expect(judge.judged.at(-1)?.images).toEqual(named(500));
  });

  it.each<[string, Asked, boolean]>([
    [
      'an image on the list, by its tag',
      { judge: allowing('b.io/x:1'), object: podWith('b.io/x:1') },
      true,
    ],
    [
      'a tag that nobody could be asked about, strict',
      { judge: away(), object: podWith('a.io/web:1') },
      false,
    ],
    [
      'a tag that nobody could be asked about, not strict',
      {
        judge: away(),
        object: podWith('a.io/web:1'),
        settings: { admission: { strictMode: false } },
      },
      true,
    ],
    [
      'the same where the user is not strict',
      { judge: away(), object: podWith('a.io/web:1'), namespace: 'lax' },
      true,
    ],
    [
      'the same where the user is',
      { judge: away(), object: podWith('a.io/web:1'), namespace: 'user' },
      false,
    ],
    [
      'a digest that nobody was asked about, where the user is not strict',
      { object: podWith(`a.io/none:1@${evil}`), namespace: 'lax' },
      false,
    ],
    [
      'a verified tag that was not pinned, not strict',
      { known, object: podWith('a.io/web:1'), settings: { admission: { strictMode: false } } },
      false,
    ],
    [
      'what is not signed, not strict',
      {
        known: ['x.io/y'],
        object: podWith('x.io/y'),
        settings: { admission: { strictMode: false } },
      },
      false,
    ],
    [
      'a verified tag where tags are left',
      { known, object: podWith('a.io/web:1'), settings: { digests: 'leave' } },
      true,
    ],
    [
      'what is not signed where tags are left',
      { known: ['x.io/y'], object: podWith('x.io/y'), settings: { digests: 'leave' } },
      false,
    ],
  ])('decides on %s', async (_, asked, allowed) => {
    expect(await answered(asked)).toMatchObject({ allowed });
  });

  it('counts what it lets through by tag for the audit log', async () => {
    const settings = { digests: 'leave' } as const;
    const { audit } = await answered({ known, settings, object: podWith('a.io/web:1', pinned) });
    expect(audit).toEqual({ 'require-trusted-images.images-by-tag': '1' });
  });

  it('asks anew in a dry run, of which nothing is kept', async () => {
    const judge = signed();
    const asked = { judge, known, object: podWith(pinned) };
    expect(await answered({ ...asked, dryRun: true })).toMatchObject(ok);
    expect(judge.judged.at(-1)?.asked.isDryRun).toBe(true);
    expect(await answered({ object: podWith('a.io/none:1'), dryRun: true })).toMatchObject({
      allowed: false,
    });
  });

  it('takes no verdict about another digest for one about this', async () => {
    const judge: JudgeStated = {
      ...signed(),
      recall: async (images) =>
        images.map((image) => ({ image, judgement: trusted('a.io/web:1', good) })),
    };
    const { message } = await answered({ judge, object: podWith(`a.io/web:1@${evil}`) });
    expect(message).toContain('something else is signed under this name');
  });

  it('takes no answer for a yes', async () => {
    const nothing = async () => [];
    const judge: JudgeStated = { ...signed(), recall: nothing, judge: nothing };
    for (const namespace of ['enabled', 'user', 'lax']) {
      const found = await answered({ judge, namespace, object: podWith(pinned) });
      expect(found).toMatchObject({ allowed: false });
    }
  });

  it('T-M21 tells what is wrong with the annotations', async () => {
    const { message } = await answered({ namespace: 'broken', object: podWith('a.io/web:1') });
    expect(message).toBe(
      "Pod images a.io/web:1 validation failed; a.io/web:1: the namespace's annotations do not hold together (namespaces.warden.kyma-project.io/notary-url: notary URL is not set)",
    );
  });

  it.each<[string, JsonObject, boolean, string]>([
    [
      'T-V1 with a list',
      { [rejecting]: 'reject', [invalid]: 'a, b' },
      false,
      'Pod images a, b validation failed',
    ],
    ['X-V2 without a list', { [rejecting]: 'reject' }, false, 'Pod images validation failed'],
    ['X-V1 by another word', { [rejecting]: 'yes' }, true, ''],
    ['by the list alone', { [invalid]: 'a' }, true, ''],
  ])('denies what carries a rejection: %s', async (_, annotations, allowed, message) => {
    const object = { ...podWith(pinned), metadata: { name: 'web', annotations } };
    expect(await answered({ known, object })).toMatchObject({ allowed, message });
  });

  it('tells that once, of the image that is told of first', async () => {
    const asked = { namespace: 'broken', object: podWith('b.io/b:1', 'b.io/a:1') };
    const { message } = await answered(asked);
    const told = "the namespace's annotations do not hold together";
    expect(message).toContain(`; b.io/a:1: ${told} (namespaces.warden`);
    expect(message.endsWith(`; b.io/b:1: ${told}`)).toBe(true);
  });

  it('answers for a namespace that was labelled a moment ago', async () => {
    const live = namespacesInMemory({ name: 'new', labels: { [mode]: 'system' } });
    const stale: Namespaces = {
      ...live,
      find: async () => ({ name: 'new', uid: '', labels: {}, annotations: {} }),
    };
    const { app } = await stage({
      functions: [requireTrustedImages],
      namespaces: stale,
      ports: { namespaces: stale, images: signed() },
    });
    const review = reviewOf({ object: podWith('a.io/web:1'), namespace: 'new' });
    expect(await ask(app, '/validate/require-trusted-images', review)).toMatchObject({
      allowed: false,
    });
  });

  it('fails closed where it cannot read the pod, T-V4, or where nobody answers', async () => {
    expect(await answered({ object: {} })).toMatchObject({ allowed: false, code: 500 });
    const judge: JudgeStated = { ...signed(), recall: () => Promise.reject(new Error('away')) };
    for (const namespace of ['enabled', 'user']) {
      const found = await answered({ judge, namespace, object: podWith(pinned) });
      expect(found).toMatchObject({ allowed: false, code: 500 });
    }
  });

  it('fails open for users where the operator says so, and for nobody else', async () => {
    const judge: JudgeStated = { ...signed(), recall: () => Promise.reject(new Error('away')) };
    const settings = { userOnFailure: 'allow-with-warning' } as const;
    const asked = { judge, settings, object: podWith(pinned) };
    expect(await answered({ ...asked, namespace: 'user' })).toMatchObject({ allowed: true });
    expect(await answered({ ...asked, namespace: 'enabled' })).toMatchObject({ allowed: false });
  });

  it('only warns of a verified tag that was not pinned where it fails open, and of nothing else', async () => {
    const settings = { userOnFailure: 'allow-with-warning' } as const;
    const asked = { known: [...known, 'b.io/a:1'], settings, namespace: 'user' };
    const loose = { ...asked, object: podWith('a.io/web:1') };
    expect(await answered(loose)).toMatchObject({
      allowed: true,
      warnings: ['a.io/web:1: it was not pinned; create it again'],
    });
    expect(await answered({ ...asked, object: podWith(pinned) })).toMatchObject(ok);
    expect(await answered({ ...loose, namespace: 'enabled' })).toMatchObject({ allowed: false });
    for (const image of ['b.io/a:1', `a.io/web:1@${evil}`, 'c.io/unknown:1']) {
      expect(await answered({ ...asked, object: podWith(image) })).toMatchObject({
        allowed: false,
      });
    }
  });

  it('tells the audit log of what a kubelet runs from a file, and of no other pod', async () => {
    const annotations = { 'kubernetes.io/config.mirror': 'h' };
    const mirror = { name: 'web', annotations };
    const kubelet = { username: 'system:node:a', groups: ['system:nodes'] };
    const { app } = await stage({
      functions: [requireTrustedImages],
      namespaces,
      ports: { namespaces, images: signed() },
    });
    const asked = (metadata: JsonObject, userInfo: JsonObject) => {
      const object = { ...podWith('z.io/own:1', 'b.io/a:1'), metadata };
      const review = reviewOf({ object, namespace: 'enabled' });
      const request = { ...(review['request'] as JsonObject), userInfo };
      return ask(app, '/validate/require-trusted-images', { ...review, request });
    };
    expect(await asked(mirror, kubelet)).toMatchObject({
      allowed: true,
      audit: { 'require-trusted-images.mirror-pod-images': 'b.io/a:1, z.io/own:1' },
    });
    for (const answer of [
      await asked(mirror, { username: 'ada', groups: [] }),
      await asked({ name: 'web' }, kubelet),
    ]) {
      expect(answer).toMatchObject({ allowed: false, audit: {} });
    }
  });
});

/** Whoever is asked about it is not there. */
function away(): JudgeStated {
  const judge = signed();
  judge.away.add('a.io/web:1');
  return judge;
}

function allowing(image: string): JudgeStated {
  const judge = signed();
  judge.allowed.push(image);
  return judge;
}
