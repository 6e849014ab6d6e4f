import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import { fairly } from '#shared/adapters/http/fair-lookup.ts';
import { asked, openWorld } from '#test/support/registry/outside-world.ts';

const world = openWorld();
afterEach(() => world.close());

const at = (address: string): readonly LookupAddress[] => [{ address, family: 4 }];
const here = at('127.0.0.1');
const never = new Promise<never>(() => undefined);
/** Longer than any machine takes for what does not wait. */
const long = 600_000;

/** A system in which names can be made to hang. */
function system() {
  const hanging = new Set<string>();
  const gone = new Set<string>();
  const heard: string[] = [];
  return {
    ...{ hanging, gone, heard },
    resolve: async (name: string) => {
      heard.push(name);
      if (gone.has(name)) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
      return hanging.has(name) ? never : here;
    },
  };
}

describe('a name', () => {
  it('that was found before is not waited for behind many that nobody answers for', async () => {
    const { hanging, heard, resolve } = system();
    const find = fairly(resolve, { patienceMs: 10, mostMs: long });
    expect(await find('registry.test')).toEqual(here);
    const evil = Array.from({ length: 100 }, (_, index) => `a${index}.evil.test`);
    for (const name of evil) {
      hanging.add(name);
      void find(name);
    }
    expect(await find('registry.test')).toEqual(here);
    // Of the two that a process looks up at a time one is left to the others.
    expect(heard).toEqual(['registry.test', 'a0.evil.test']);
  });

  it('is looked up once for all who ask for it at the same time', async () => {
    const { heard, resolve } = system();
    const find = fairly(resolve);
    expect(await Promise.all([find('a.test'), find('a.test')])).toEqual([here, here]);
    expect(heard).toEqual(['a.test']);
  });

  it('that moves is found where it is then', async () => {
    const answers = [at('127.0.0.1'), at('127.0.0.2')];
    const find = fairly(async () => answers.shift() ?? [], { patienceMs: long, mostMs: long });
    expect(await find('a.test')).toEqual(at('127.0.0.1'));
    expect(await find('a.test')).toEqual(at('127.0.0.2'));
  });

  it('that is gone is gone, and stops nobody', async () => {
    const { gone, resolve } = system();
    const find = fairly(resolve, { patienceMs: long, mostMs: long });
    await find('a.test');
    gone.add('a.test');
    await expect(find('a.test')).rejects.toThrow('a.test');
    expect(await find('b.test')).toEqual(here);
  });

  it('that has waited for too long is not begun', async () => {
    const { heard, resolve } = system();
    const find = fairly(resolve, { patienceMs: 10, mostMs: -1 });
    await expect(find('a.test')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    expect(heard).toEqual([]);
  });
});

it('a registry is read while the names of others hang', async () => {
  const { hanging, resolve } = system();
  const { host } = await world.open('a.test', (_, response) => {
    response.setHeader('connection', 'close').end('x');
  });
  const outside = world.outside({ resolve });
  expect(await outside.read(asked(`http://${host}/`))).toMatchObject({ kind: 'answer' });
  const stop = new AbortController();
  hanging.add('b.evil.test').add('c.evil.test');
  const waiting = [...hanging].map((name) =>
    outside.read(asked(`https://${name}/`, { signal: stop.signal })),
  );
  expect(await outside.read(asked(`http://${host}/`))).toMatchObject({ kind: 'answer' });
  stop.abort();
  expect(await Promise.all(waiting)).toMatchObject([
    { kind: 'unavailable' },
    { kind: 'unavailable' },
  ]);
});
