import type { LookupAddress } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
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
    expect(heard).toEqual(['registry.test', 'a0.evil.test', 'registry.test']);
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

  it('that was never seen waits for no name that hung before', async () => {
    const { hanging, heard, resolve } = system();
    const find = fairly(resolve, { patienceMs: long, mostMs: long, lastsMs: 20 });
    hanging.add('a.evil.test').add('b.bad.example').add('c.evil.test');
    void find('a.evil.test');
    await sleep(60);
    void find('c.evil.test');
    expect(await find('registry.test')).toEqual(here);
    expect(heard).toEqual(['a.evil.test', 'registry.test']);
  });

  it('that was never seen waits for none of five that nobody answers for', async () => {
    const { hanging, heard, resolve } = system();
    const isAnswered = async (name: string) => !hanging.has(name);
    const find = fairly(resolve, { patienceMs: long, mostMs: long, isAnswered });
    const evil = Array.from({ length: 5 }, (_, index) => `a.evil${index}.test`);
    for (const name of evil) {
      hanging.add(name);
      void find(name);
    }
    expect(await find('registry.test')).toEqual(here);
    // The second place stays for whoever comes, and for those whom the process asks about otherwise.
    expect(heard).toEqual(['a.evil0.test', 'registry.test']);
  });

  it('that nobody answers for makes no other of its domain slow', async () => {
    const { hanging, heard, resolve } = system();
    const isAnswered = async (name: string) => !hanging.has(name);
    const find = fairly(resolve, { patienceMs: long, mostMs: long, lastsMs: 20, isAnswered });
    hanging.add('dead.co.test');
    void find('dead.co.test');
    await sleep(60);
    expect(await find('registry.co.test')).toEqual(here);
    expect(heard).toEqual(['dead.co.test', 'registry.co.test']);
  });

  it('that nobody answers for is looked up all the same', async () => {
    const find = fairly(system().resolve, { isAnswered: async () => false });
    expect(await Promise.all(['a.test', 'b.example'].map(find))).toEqual([here, here]);
  });

  it('that hung before waits behind all that did not', async () => {
    const heard: string[] = [];
    const turns: (() => void)[] = [];
    const resolve = async (name: string) => {
      heard.push(name);
      await new Promise<void>((go) => turns.push(go));
      return here;
    };
    const find = fairly(resolve, { patienceMs: long, mostMs: long, lastsMs: 20 });
    const slow = ['a.evil.test', 'b.bad.example'].map(find);
    await sleep(60);
    const others = ['a2.evil.test', 'c.test', 'd.example'].map(find);
    for (let turn = 0; turn < 5; turn += 1) {
      await expect.poll(() => turns.length, { interval: 1 }).toBeGreaterThan(0);
      turns.shift()?.();
    }
    await Promise.all([...slow, ...others]);
    expect(heard).toEqual(['a.evil.test', 'b.bad.example', 'c.test', 'd.example', 'a2.evil.test']);
  });

  it('is looked up beside another while both are answered', async () => {
    let running = 0;
    const most: number[] = [];
    const find = fairly(async () => {
      running += 1;
      most.push(running);
      await sleep(5);
      running -= 1;
      return here;
    });
    const names = Array.from({ length: 10 }, (_, index) => `a${index}.registry.test`);
    expect(await Promise.all(names.map(find))).toHaveLength(10);
    expect(Math.max(...most)).toBe(2);
  });

  it('is forgotten when it is gone, and when it was found too long ago', async () => {
    const { gone, hanging, resolve } = system();
    const find = fairly(resolve, { patienceMs: 10, mostMs: 100, keptMs: 100 });
    const isFound = (name: string) => Promise.race([find(name), sleep(50, 'waits')]);
    await find('a.test');
    gone.add('a.test');
    await expect(find('a.test')).rejects.toThrow('a.test');
    gone.delete('a.test');
    hanging.add('a.test');
    expect(await isFound('a.test')).toBe('waits');
    await find('b.example');
    hanging.add('b.example');
    await sleep(150);
    expect(await isFound('b.example')).toBe('waits');
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
  const outside = world.outside({ resolve: fairly(resolve) });
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
