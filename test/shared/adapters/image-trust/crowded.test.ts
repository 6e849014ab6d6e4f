import { setImmediate as othersTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { unavailable } from '#shared/domain/outside.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';

const pod = (namespace: string) => ({
  namespace,
  serviceAccount: 'default',
  pullSecrets: [],
});

it('a pod of a thousand registries that never answer holds no thousand connections, and stops nobody else', async () => {
  const { world, replica } = stage();
  const gun = 'registry.example/team/app';
  await world.sign(gun, { '1.0': world.push(`${gun}:1.0`, 'good') });
  const hanging = new Set<string>();
  const { outside } = world;
  const read = outside.read;
  Object.assign(outside, {
    read: (request: Parameters<typeof read>[0]) => {
      if (!request.url.includes('evil.test')) return read(request);
      hanging.add(request.url);
      return new Promise(() => undefined);
    },
  });
  const { judge, one } = replica();
  const { signal } = new AbortController();
  const images = Array.from({ length: 1_000 }, (_, at) => `a${at}.evil.test/app:1.0`);
  const asked = { isDryRun: false, signal, withinMs: 20 };
  void judge(images, { ...asked, rules, pod: pod('evil') });
  for (let turn = 0; turn < 20; turn += 1) await othersTurn();
  const toNotary = [...hanging].filter((url) => url.startsWith(notary));
  expect(hanging.size - toNotary.length).toBe(64);
  expect(toNotary.length).toBeLessThanOrEqual(16);
  expect(await one(`${gun}:1.0`, { pod: pod('team-a') })).toMatchObject({ kind: 'trusted' });
});

describe('a namespace that has one registry read that never answers', () => {
  const evil = Array.from({ length: 100 }, (_, at) => `evil.test/app${at}:1.0`);
  const own = { pod: pod('evil') };

  /** All wait for it, and for what a Notary says of it; `give` ends what is read at the time. */
  async function crowded(times: Parameters<typeof stage>[2] = {}) {
    const made = stage({}, undefined, times);
    const { outside } = made.world;
    const { read } = outside;
    let held: { readonly end: () => void; readonly isByNotary: boolean }[] = [];
    Object.assign(outside, {
      read: (request: Parameters<typeof read>[0]) => {
        if (!request.url.includes('evil.test')) return read(request);
        return new Promise((resolve) => {
          const end = () => resolve({ kind: 'unavailable', why: 'reset', host: 'evil.test' });
          held.push({ end, isByNotary: request.url.startsWith(notary) });
        });
      },
    });
    const replica = made.replica();
    const fill = async () => {
      const { signal } = new AbortController();
      void replica.judge(evil, { isDryRun: false, signal, withinMs: 20, rules, ...own });
      for (let turns = 0; turns < 20; turns += 1) await othersTurn();
    };
    const give = () => {
      const all = held;
      held = [];
      for (const { end } of all) end();
    };
    const isHeld = () => held.filter(({ isByNotary }) => !isByNotary).length;
    return { ...made, ...replica, usual: read, fill, give, held: isHeld };
  }

  it('has what other registries hold judged all the same', async () => {
    const { world, one, fill, held } = await crowded();
    const gun = 'registry.example/team/app';
    await world.sign(gun, { '1.0': world.push(`${gun}:1.0`, 'good') });
    world.push(`${gun}:unsigned`, 'other');
    await fill();
    expect(held()).toBe(16);
    expect(await one(`${gun}:1.0`, own)).toMatchObject({ kind: 'trusted' });
    expect(await one(`${gun}:unsigned`, own)).toMatchObject({ why: 'not-signed' });
  });

  it('is told that nobody was asked of what waits, which is no outage, and how it is of the others', async () => {
    const { judge, fill } = await crowded();
    await fill();
    const { signal } = new AbortController();
    const asked = { isDryRun: false, signal, withinMs: 300, rules, ...own };
    const whys = (await judge(evil, asked)).map(({ judgement }) =>
      judgement.kind === 'unavailable' ? judgement.why : judgement.kind,
    );
    expect(whys.slice(0, 16)).toEqual(Array(16).fill('too-slow'));
    expect(whys.slice(16)).toEqual(Array(84).fill('not-verified'));
  });

  it('is told so of what is known by its tag, and nobody is left the time to verify', async () => {
    const { world, clock, usual, one, fill, held } = await crowded();
    const image = 'evil.test/known:1.0';
    world.push(image, 'unsigned');
    const { outside } = world;
    const hanging = outside.read;
    Object.assign(outside, { read: usual });
    expect(await one(image, own)).toMatchObject({ why: 'not-signed' });
    Object.assign(outside, { read: hanging });
    clock.advanceMs(600_000);
    await fill();
    expect(held()).toBe(16);
    const late = await one(image, { ...own, withinMs: 300 });
    expect(late).toMatchObject({ kind: 'unavailable', why: 'not-verified' });
  });

  it('is told how it is where there is more time than the one had who asked first', async () => {
    const { one, fill, give } = await crowded();
    await fill();
    const image = 'evil.test/late:1.0';
    const first = one(image, { ...own, withinMs: 100 });
    const second = one(image, { ...own, withinMs: 60_000 });
    expect(await first).toMatchObject({ why: 'not-verified' });
    const told = vi.fn();
    void second.then(told);
    const ended = () => {
      give();
      return told.mock.calls.length;
    };
    await expect.poll(ended, { timeout: 10_000 }).toBe(1);
    expect(await second).toMatchObject({ kind: 'unavailable', why: 'registry' });
  });

  it('gains nothing by ending a wait right before the time is over', async () => {
    const { one, fill, give, held } = await crowded();
    await fill();
    const late = one(evil[16] ?? '', { ...own, withinMs: 1_000 });
    await sleep(300);
    give();
    await expect.poll(held).toBe(16);
    expect(await late).toMatchObject({ kind: 'unavailable', why: 'not-verified' });
  });

  it('is told the same of what has waited for as long as it may', async () => {
    const { one, fill } = await crowded({ boundMs: 300 });
    await fill();
    expect(await one('evil.test/late:1.0', own)).toMatchObject({ why: 'not-verified' });
  });
});

describe('a namespace that names what no registry answers for', () => {
  const evil = Array.from({ length: 500 }, (_, at) => `localhost:1/a${at}:1.0`);
  const own = { pod: pod('evil') };

  /** The registry fails at once, the Notary takes its time; `give` ends what it is asked at the time, `quicken` all from then on. */
  async function naming(times: Parameters<typeof stage>[2] = {}) {
    const made = stage({}, undefined, times);
    const { outside } = made.world;
    const { read } = outside;
    let held: (() => void)[] = [];
    let isSlow = true;
    Object.assign(outside, {
      read: (request: Parameters<typeof read>[0]) => {
        if (!request.url.includes('localhost:')) return read(request);
        if (!request.url.startsWith(notary)) return unavailable('no-connection', 'localhost');
        if (!isSlow || !request.url.includes('localhost:1')) return read(request);
        return new Promise((resolve) => held.push(() => resolve(read(request))));
      },
    });
    const replica = made.replica();
    const { signal } = new AbortController();
    const asked = { isDryRun: false, signal, rules, ...own };
    const fill = async () => {
      void replica.judge(evil, { ...asked, withinMs: 20 });
      for (let turns = 0; turns < 40; turns += 1) await othersTurn();
    };
    const give = () => {
      const all = held;
      held = [];
      for (const end of all) end();
    };
    const quicken = () => {
      isSlow = false;
      give();
    };
    return { ...made, ...replica, asked, fill, give, quicken, held: () => held.length };
  }

  it('has its Notary asked about sixteen at a time, and the others behind them', async () => {
    const { fill, give, held } = await naming();
    await fill();
    expect(held()).toBe(16);
    give();
    await expect.poll(held).toBe(16);
  });

  it('keeps nobody else waiting', async () => {
    const { one, fill } = await naming();
    await fill();
    const other = { pod: pod('team-a'), withinMs: 1_000 };
    expect(await one('localhost:2/evil:1.0', other)).toMatchObject({ why: 'not-signed' });
  });

  it('is told which of them nobody was asked about, which is no outage', async () => {
    const { judge, asked } = await naming();
    const told = await judge(evil.slice(0, 100), { ...asked, withinMs: 300 });
    const whys = told.map(({ judgement: { kind, ...rest } }) => ('why' in rest ? rest.why : kind));
    expect(whys.slice(0, 16)).toEqual(Array(16).fill('too-slow'));
    expect(whys.slice(16)).toEqual(Array(84).fill('not-verified'));
  });

  it('is told so of what has waited there for as long as it may', async () => {
    const { one, fill } = await naming({ boundMs: 300 });
    await fill();
    const late = await one('localhost:1/late:1.0', own);
    expect(late).toMatchObject({ kind: 'unavailable', why: 'not-verified' });
  });

  it('waits for what is known no more than anybody', async () => {
    const { one, fill, quicken } = await naming();
    const known = 'localhost:3/known:1.0';
    expect(await one(known, own)).toMatchObject({ why: 'not-signed' });
    await fill();
    expect(await one(known, { ...own, withinMs: 300 })).toMatchObject({ why: 'not-signed' });
    quicken();
  });

  it('is told it where there is more time than the one had who asked first', async () => {
    const { one, held, quicken } = await naming();
    const [image = ''] = evil;
    const first = one(image, { ...own, withinMs: 100 });
    const second = one(image, { ...own, withinMs: 60_000 });
    expect(await first).toMatchObject({ kind: 'unavailable', why: 'too-slow' });
    expect(held()).toBe(1);
    quicken();
    expect(await second).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
  });
});
