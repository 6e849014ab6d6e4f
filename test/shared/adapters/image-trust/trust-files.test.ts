import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { trustFilesOn } from '#shared/adapters/image-trust/trust-files.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { annotationsOf } from '#test/support/cosign/bundle.ts';
import { type LocalSigstore, openSigstore } from '#test/support/cosign/local-sigstore.ts';
import { layerOf, payloadOf, signatureManifest } from '#test/support/cosign/signing.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';

const path = '/etc/roots/team.json';
const robot = { subject: 'https://ci.test/release', issuer: 'https://issuer.test' };
const gun = 'registry.example/team/app';
const image = `${gun}:1.0`;
const asked: { readonly rules: TrustRules } = {
  rules: { ...rules, verifiers: [{ kind: 'cosign', authorities: [] }] },
};

const world: { ours?: LocalSigstore; theirs?: LocalSigstore } = {};
beforeAll(async () => {
  [world.ours, world.theirs] = await Promise.all([openSigstore(), openSigstore()]);
});
afterAll(async () => {
  await Promise.all([world.ours?.close(), world.theirs?.close()]);
});

/** Signed by somebody whom our root names; the file may say anything later. */
async function open() {
  const { ours, theirs } = world;
  if (ours === undefined || theirs === undefined) throw new Error('nobody signs');
  const file = {
    text: JSON.stringify(ours.root) as string | undefined,
    reads: 0,
    until: undefined as Promise<void> | undefined,
  };
  const readText = async (asked: string) => {
    file.reads += 1;
    await file.until;
    if (asked !== path || file.text === undefined) throw new Error('there is no such file');
    return file.text;
  };
  const keyless = { issuer: robot.issuer, identity: robot.subject, trustedRoot: path };
  const config = { imageTrust: { cosign: { authorities: [{ name: 'team', keyless }] } } };
  const made = stage(config as object, verdictsInMemory().open, { readText });
  const { manifest } = makeImage('good');
  const payload = payloadOf({ digest: manifest.digest, reference: gun });
  const layer = layerOf(payload, annotationsOf(await ours.signBytes(robot, payload)));
  made.world.put(image, manifest);
  const signature = signatureManifest([layer]);
  made.world.put(`${gun}:${signatureTag(manifest.digest)}`, signature, layer.content);
  const known = verdictsInMemory();
  const replica = () => made.replica(known.open());
  return { ...made, file, replica, pinned: `${image}@${manifest.digest}`, other: theirs.root };
}

describe('a verdict that rests on a file', () => {
  it.each<[string, (other: object) => string | undefined, string]>([
    ['names others', (other) => JSON.stringify(other), 'bad-proof'],
    ['is taken away', () => undefined, 'bad-rules'],
    ['is broken', () => '{', 'bad-rules'],
  ])('serves nobody any more once the file %s', async (_, next, why) => {
    const { replica, file, clock, pinned, other } = await open();
    const [one, another] = [replica(), replica()];
    expect(await one.one(pinned, asked)).toMatchObject({ kind: 'trusted' });
    expect(await another.remember(pinned, asked)).toMatchObject({ kind: 'trusted' });
    file.text = next(other);
    clock.advanceMs(1_000);
    for (const each of [one, another]) {
      expect(await each.remember(pinned, asked)).toMatchObject({ why: 'not-verified' });
    }
    expect(await one.one(pinned, asked)).toMatchObject({ kind: 'untrusted', why });
  });

  it('serves again as soon as the file says again what it said', async () => {
    const { replica, file, clock, pinned } = await open();
    const one = replica();
    await one.one(pinned, asked);
    const { text } = file;
    file.text = undefined;
    clock.advanceMs(1_000);
    expect(await one.one(pinned, asked)).toMatchObject({ kind: 'untrusted' });
    file.text = text;
    clock.advanceMs(1_000);
    expect(await one.remember(pinned, asked)).toMatchObject({ kind: 'trusted' });
  });

  it('does not stand in for an image whose registry is away either', async () => {
    const { replica, file, clock, pinned, other, world: outside } = await open();
    const one = replica();
    await one.one(pinned, asked);
    file.text = JSON.stringify(other);
    outside.instead.rule = () => ({ kind: 'unavailable', why: 'no-connection', about: '' });
    clock.advanceMs(10 * 60_000);
    expect(await one.one(pinned, asked)).toMatchObject({ kind: 'unavailable' });
  });

  it('costs one look at the file a second, whoever asks', async () => {
    const { replica, file, clock, pinned } = await open();
    const one = replica();
    const burst = () => Promise.all(Array.from({ length: 20 }, () => one.one(pinned, asked)));
    await burst();
    await burst();
    expect(file.reads).toBe(1);
    clock.advanceMs(1_000);
    await burst();
    expect(file.reads).toBe(2);
  });
});

describe('a file that hangs', () => {
  async function hanging() {
    const made = await open();
    const one = made.replica();
    const { promise, resolve } = Promise.withResolvers<void>();
    await one.one(made.pinned, asked);
    made.clock.advanceMs(1_000);
    made.file.until = promise;
    return { ...made, one, answer: resolve };
  }

  it('is nothing to who is not asked by it', async () => {
    const { one, world: outside, file } = await hanging();
    const { reads } = file;
    const digest = outside.push(`${gun}:2.0`, 'other');
    await outside.sign(gun, { '2.0': digest });
    expect(await one.one(`${gun}:2.0`)).toMatchObject({ kind: 'trusted' });
    expect(file.reads).toBe(reads);
  });

  it('vouches by what it said last for ten seconds, then for nothing, and is read once until it answers', async () => {
    const { one, pinned, file, clock, answer } = await hanging();
    const { reads } = file;
    for (const passed of [4_000, 4_000, 1_000]) {
      expect(await one.one(pinned, asked)).toMatchObject({ kind: 'trusted' });
      clock.advanceMs(passed);
    }
    expect(await one.one(pinned, asked)).toMatchObject({ kind: 'untrusted', why: 'bad-rules' });
    expect(file.reads).toBe(reads + 1);
    answer();
    clock.advanceMs(1_000);
    await expect.poll(() => one.one(pinned, asked)).toMatchObject({ kind: 'trusted' });
  });
});

describe.concurrent('a file that is slow', () => {
  const second = 1_000;

  /** Each read is answered by hand. */
  function slow() {
    const clock = clockAt('2030-01-01T00:00:00Z');
    const reads: PromiseWithResolvers<string>[] = [];
    const readText = () => {
      const read = Promise.withResolvers<string>();
      reads.push(read);
      return read.promise;
    };
    const files = trustFilesOn({ clock, readText });
    const look = async () => {
      await files.look(['/a']);
      return files.current().textOf('/a');
    };
    /** So long after it was asked for. */
    const answer = async (text: string | Error, afterMs: number) => {
      clock.advanceMs(afterMs);
      const read = reads.at(-1);
      if (typeof text === 'string') read?.resolve(text);
      else read?.reject(text);
      await new Promise(setImmediate);
    };
    return { clock, reads, look, answer };
  }

  it('says at the next look what it said too late for this one', async () => {
    const { look, answer } = slow();
    expect(await look()).toBeUndefined();
    await answer('one', second);
    expect(await look()).toBe('one');
    await answer('two', second);
    expect(await look()).toBe('two');
  });

  it('keeps nobody waiting who has what it said last', async () => {
    const { look, answer } = slow();
    await look();
    await answer('one', second);
    const late = new Promise((resolve) => setTimeout(resolve, 250, 'late'));
    expect(await Promise.race([look(), late])).toBe('one');
  });

  it('is waited for again once it was fast', async () => {
    const { clock, look, answer } = slow();
    await look();
    await answer('one', second);
    await look();
    await answer('two', 1);
    clock.advanceMs(second);
    const looking = look();
    await answer('three', 0);
    expect(await looking).toBe('three');
  });

  it('says nothing that was asked for longer ago than ten seconds', async () => {
    const { look, answer } = slow();
    await look();
    await answer('one', 9 * second);
    expect(await look()).toBe('one');
    await answer('two', 9 * second + 1);
    expect(await look()).toBeUndefined();
  });

  it('vouches for nothing as soon as it is known to be gone', async () => {
    const { look, answer } = slow();
    await look();
    await answer('one', second);
    await look();
    await answer(new Error('there is no such file'), second);
    expect(await look()).toBeUndefined();
  });
});

describe('files of trust', () => {
  const files = (readText: (path: string) => Promise<string>) => {
    const clock = clockAt('2030-01-01T00:00:00Z');
    return { clock, ...trustFilesOn({ clock, readText }) };
  };

  it('are nothing to wait for where none is named', () => {
    expect(files(() => Promise.reject(new Error('nobody asked'))).look([])).toBeUndefined();
  });

  it('stay the same object until one of them says something else', async () => {
    const text = { now: 'one' };
    const { look, current, clock } = files(async () => text.now);
    await look(['/a']);
    const first = current();
    clock.advanceMs(5_000);
    await look(['/a']);
    expect(current()).toBe(first);
    text.now = 'other';
    clock.advanceMs(5_000);
    await look(['/a']);
    expect(current()).not.toBe(first);
    expect(current().hashOf('/a')).not.toBe(first.hashOf('/a'));
  });

  it('are looked at again when a clock is put back, and when others are named', async () => {
    const { look, clock } = files(async (path) => path);
    await look(['/a']);
    expect(look(['/a'])).toBeUndefined();
    await expect(look(['/a', '/b'])).resolves.toBeUndefined();
    clock.setTo('2029-12-31T23:00:00Z');
    expect(look(['/a', '/b'])).toBeInstanceOf(Promise);
  });
});
