import { expect, it } from 'vitest';
import { stage } from '#test/support/image-trust/judging.ts';
import { descriptorOf, makeImage } from '#test/support/registry/pushed-image.ts';

const gun = 'registry.example/team/app';
const signed = makeImage('signed');
const evil = makeImage('evil');

it.each(['Digest', 'dige\u017ft'])(
  'an image is not trusted by a signed configuration beside one that nodes read by %j',
  async (key) => {
    const { world, replica } = stage();
    const config = { ...descriptorOf(signed.config), [key]: evil.config.digest };
    const { manifest } = makeImage('evil', { config });
    world.put(`${gun}:1.0`, manifest, signed.config, evil.config);
    await world.sign(gun, { '1.0': signed.config.digest });
    expect(await replica().one(`${gun}:1.0`)).toMatchObject({ kind: 'untrusted' });
    expect(await replica().one(`${gun}:1.0@${manifest.digest}`)).toMatchObject({
      kind: 'untrusted',
    });
    // Spelled as everybody reads it, it is what is signed.
    const { manifest: good } = makeImage('evil', { config: descriptorOf(signed.config) });
    world.put(`${gun}:1.0`, good, signed.config);
    expect(await replica().one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
  },
);
