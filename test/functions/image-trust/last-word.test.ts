import { describe, expect, it } from 'vitest';
import requireTrustedImages from '#functions/image-trust/require-trusted-images.ts';
import verifyPod from '#functions/image-trust/verify-pod.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { ImageJudge } from '#shared/ports.ts';
import { ask, patched, podWith, reviewOf, stage } from '#test/support/admission.ts';
import { stage as judging } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'registry.example/team/app';
const mode = 'namespaces.warden.kyma-project.io/validate';
const namespaces = namespacesInMemory({ name: 'team', labels: { [mode]: 'system' } });

/** `signed` and `known` are, `plain` is not. */
async function site({ isStrict }: { readonly isStrict: boolean }) {
  const imageTrust = { notary: { URL: notary }, admission: { strictMode: isStrict } };
  const database: Outage = { how: undefined };
  const shared = verdictsInMemory();
  const made = judging({ imageTrust }, () => cuttable(shared.open(), database));
  const digests = {
    known: made.world.push(`${gun}:known`, 'older'),
    signed: made.world.push(`${gun}:signed`, 'good'),
    plain: made.world.push(`${gun}:plain`, 'evil'),
  };
  await made.world.sign(gun, { signed: digests.signed, known: digests.known });
  const door = async (images: ImageJudge) => {
    const ports = { namespaces, images };
    const functions = [verifyPod, requireTrustedImages];
    const { app } = await stage({ functions, namespaces, settings: { imageTrust }, ports });
    const asking = (path: string) => (request: Parameters<typeof reviewOf>[0]) =>
      ask(app, path, reviewOf({ namespace: 'team', ...request }));
    return {
      mutate: asking('/mutate/verify-pod'),
      validate: asking('/validate/require-trusted-images'),
    };
  };
  const of = (tag: keyof typeof digests) => `${gun}:${tag}@${digests[tag]}`;
  return { ...made, database, door, of };
}

type Outage = { how: 'fails' | 'hangs' | undefined };

/** As a database does that cannot be reached. */
function cuttable(store: VerdictStore, database: Outage): VerdictStore {
  return new Proxy(store, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key);
      if (typeof found !== 'function') return found;
      return (...given: unknown[]) =>
        database.how === undefined || String(key).startsWith('on')
          ? Reflect.apply(found, target, given)
          : outages[database.how]();
    },
  });
}

const lax = { isStrict: false };
const debugging = (old: JsonObject & { readonly spec: JsonObject }, image: string) => ({
  operation: 'UPDATE' as const,
  subResource: 'ephemeralcontainers',
  old,
  object: { ...old, spec: { ...old.spec, ephemeralContainers: [{ name: 'd', image }] } },
});

const outages = {
  fails: () => Promise.reject(new Error('the database is away')),
  hangs: () => new Promise<never>(() => undefined),
};

describe('where a namespace is not strict, the last word', () => {
  it('refuses a sidecar that nobody signed and that was injected after us', async () => {
    const { door, replica, of } = await site(lax);
    const { mutate, validate } = await door(replica());
    const object = podWith(`${gun}:signed`);
    const ours = patched(object, await mutate({ object }));
    expect(await validate({ object: ours })).toMatchObject({ allowed: true });
    for (const image of [`${gun}:plain`, of('plain')]) {
      expect(await validate({ object: podWith(of('signed'), image) })).toMatchObject({
        allowed: false,
        message: expect.stringContaining(`${image}: `),
      });
    }
  });

  it.each([404, 403])(
    'refuses what kubectl debug brings, of which its registry shows nothing: %i',
    async (status) => {
      const { door, replica, of, world } = await site(lax);
      const { mutate, validate } = await door(replica());
      world.instead.rule = ({ url }) =>
        url.startsWith('https://registry.example') ? answer(status) : undefined;
      for (const image of [of('plain'), `${gun}:nowhere`]) {
        const request = debugging(podWith(of('signed')), image);
        expect(await mutate(request)).toMatchObject({ allowed: true });
        expect(await validate(request)).toMatchObject({ allowed: false });
      }
      const request = debugging(podWith(of('signed')), of('signed'));
      expect(await validate(request)).toMatchObject({ allowed: true });
    },
  );

  it('asks by itself where the mutation missed the review', async () => {
    const { door, replica, of } = await site(lax);
    const { validate } = await door(replica());
    for (const image of [`${gun}:plain`, of('plain')]) {
      expect(await validate({ object: podWith(image) })).toMatchObject({ allowed: false });
    }
    expect(await validate({ object: podWith(of('signed')) })).toMatchObject({ allowed: true });
  });
});

describe('where a namespace is strict, the last word', () => {
  it('verifies once where the mutation has, wherever that was', async () => {
    const { door, replica, of, world } = await site({ isStrict: true });
    const [one, other] = [await door(replica()), await door(replica())];
    const object = podWith(of('signed'));
    await one.mutate({ object });
    const visits = world.visits.length;
    expect(await other.validate({ object })).toMatchObject({ allowed: true });
    expect(world.visits).toHaveLength(visits);
  });

  it.each(['fails', 'hangs'] as const)(
    'lets a good pod through that another replica mutated while the store %s',
    async (how) => {
      const { door, replica, of, database, clock, world } = await site({ isStrict: true });
      const [one, other] = [await door(replica()), await door(replica())];
      // Both have to have read its root before: a first use waits for the store.
      for (const { mutate } of [one, other]) {
        await mutate({ object: podWith(of('known')) });
        clock.advanceMs(10 * 60_000);
      }
      database.how = how;
      const object = podWith(`${gun}:signed`);
      const ours = patched(object, await one.mutate({ object }));
      // So that time has to be left.
      world.delay.ms = 20;
      expect(await other.validate({ object: ours })).toMatchObject({ allowed: true });
      expect(await other.validate({ object: podWith(of('plain')) })).toMatchObject({
        allowed: false,
      });
    },
  );
});

describe('what nobody answers for in time', () => {
  it('is let through only where a namespace is not strict, and both are answered in time', async () => {
    const hanging = async (isStrict: boolean) => {
      const { door, replica, of, world } = await site({ isStrict });
      world.delay.ms = 60_000;
      const { validate } = await door(replica());
      return validate({ object: podWith(of('signed')) });
    };
    const [strict, notStrict] = await Promise.all([hanging(true), hanging(false)]);
    expect(strict).toMatchObject({
      allowed: false,
      message: expect.stringContaining('it could not be verified in time'),
    });
    expect(notStrict).toMatchObject({ allowed: true });
  });
});
