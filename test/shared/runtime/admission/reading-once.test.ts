import { describe, expect, it } from 'vitest';
import requireTrustedImages from '#functions/image-trust/require-trusted-images.ts';
import requireUserImages from '#functions/image-trust/require-user-images.ts';
import type { AdmissionFunction } from '#shared/define.ts';
import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import { allow } from '#shared/domain/verdict.ts';
import type { Namespaces } from '#shared/ports.ts';
import { ask, podWith, reviewOf, stage } from '#test/support/admission.ts';
import type { JudgeStated } from '#test/support/image-trust/judge-stated.ts';
import { namespaces, ok, pinned, signed } from '#test/support/image-trust/requiring.ts';

const refused = () => Promise.reject(new Error('no cluster'));
const unsigned = 'a.io/none:1';

const ofPlain = {
  setting: '(none)',
  fallback: { matchLabels: { 'kubernetes.io/metadata.name': 'plain' } },
};

type Asked = {
  readonly namespace: string;
  readonly image?: string;
  readonly judge?: JudgeStated;
  readonly more?: readonly AdmissionFunction[];
  readonly find?: Namespaces['find'];
  readonly findLive?: Namespaces['findLive'];
  readonly userOnFailure?: ImageTrustSettings['userOnFailure'];
};

/** At the path that both validators share, which says nothing of whom the API server means. */
async function answered({ namespace, image = pinned, judge = signed(), ...asked }: Asked) {
  const { find = namespaces.find, findLive = refused, userOnFailure = 'deny', more = [] } = asked;
  const here = { ...namespaces, find, findLive };
  const { app, logged } = await stage({
    functions: [requireTrustedImages, requireUserImages, ...more],
    settings: { imageTrust: { userOnFailure } },
    namespaces: here,
    ports: { namespaces: here, images: judge },
  });
  const review = reviewOf({ object: podWith(image), namespace });
  return { ...(await ask(app, '/validation/pods?timeout=2s', review)), judge, logged };
}

const mute = (): JudgeStated => ({ ...signed(), recall: refused });
const open = { userOnFailure: 'allow-with-warning' } as const;

describe('while the cluster does not say whose a namespace is', () => {
  it.each([
    ['user', { namespace: 'user' }],
    ['enabled', 'platform'],
  ])('the one that remembers it as its own judges: %s', async (namespace, owner) => {
    const { judge, logged, ...answer } = await answered({ namespace });
    expect(answer).toMatchObject(ok);
    expect(judge.judged.map(({ asked }) => asked.rules.owner)).toEqual([owner]);
    expect(logged.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'a namespace is judged from memory', fields: { namespace } },
    ]);
  });

  it.each<[string, Asked, boolean]>([
    ['unsigned, of users, open', { namespace: 'user', image: unsigned, ...open }, false],
    ['unsigned, of the platform', { namespace: 'enabled', image: unsigned }, false],
    ['nobody judges, of users, open', { namespace: 'user', judge: mute(), ...open }, true],
    ['nobody judges, of users', { namespace: 'user', judge: mute() }, false],
    ['nobody judges, of the platform', { namespace: 'enabled', judge: mute(), ...open }, false],
    ['labelled a moment ago, perhaps', { namespace: 'plain', ...open }, false],
    ['made a moment ago', { namespace: 'new', ...open }, false],
    ['not remembered', { namespace: 'user', find: refused, ...open }, false],
  ])('a pod is judged by what is known: %s', async (_, asked, allowed) => {
    expect(await answered(asked)).toMatchObject({ allowed });
  });

  it('one that hangs is waited for no longer than the rest can bear', async () => {
    const findLive = () => new Promise<never>(() => {});
    expect(await answered({ namespace: 'user', findLive })).toMatchObject(ok);
  });

  it.each<[string, Promise<Namespace | undefined>]>([
    ['nobody remembers whose it is', namespaces.find('plain')],
    ['memory hangs', new Promise(() => {})],
  ])('one that is slow is heard where %s', async (_, known) => {
    const { promise, resolve } = Promise.withResolvers<Namespace | undefined>();
    const answers = [known];
    const find: Namespaces['find'] = (name) => {
      resolve(namespaces.find('enabled'));
      return answers.pop() ?? namespaces.find(name);
    };
    const answer = await answered({ namespace: 'plain', find, findLive: () => promise });
    expect(answer).toMatchObject(ok);
    expect(answer.judge.judged.map(({ asked }) => asked.rules.owner)).toEqual(['platform']);
  });

  const onCreate = { operations: ['CREATE'] } as const;
  it.each<[string, AdmissionFunction['trigger']]>([
    ['of no namespace in particular', { ...onCreate, resources: ['pods'] }],
    [
      'of this one, but not of pods',
      { ...onCreate, resources: ['services'], namespaceSelector: ofPlain },
    ],
  ])('no other function at the path makes it somebody’s: one %s', async (_, trigger) => {
    const other = { ...requireUserImages, name: 'other', handler: () => allow() };
    const more = [{ ...other, trigger }] as unknown as AdmissionFunction[];
    const { allowed, logged } = await answered({ namespace: 'plain', more });
    expect(allowed).toBe(false);
    expect(logged.find(({ level }) => level === 'warn')?.fields).toMatchObject({
      err: { message: 'no cluster' },
    });
  });
});
