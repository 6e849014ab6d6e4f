import { describe, expect, it } from 'vitest';
import { rules, stage } from '#test/support/image-trust/judging.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;
const pod = { namespace: 'team-a', serviceAccount: 'default', pullSecrets: ['pull'] };
const brief = { pod, withinMs: 300 };

/** What the image is, is known here; an API server hangs from then on that says nothing of Secrets. */
async function hanging(judgedBy: 'here' | 'another' | 'nobody') {
  const made = stage();
  const { world, clock, cluster } = made;
  const digest = world.push(`${gun}:1.0`, 'good');
  const image = `${gun}:1.0@${digest}`;
  await world.sign(gun, { '1.0': digest });
  const [here, another] = [made.replica(), made.replica()];
  await here.one(image, { pod, rules: { ...rules, owner: { namespace: 'team-b' } } });
  if (judgedBy === 'here') await here.one(image, { pod });
  if (judgedBy === 'another') await another.one(image, { pod });
  // Past what is remembered of Secrets.
  clock.advanceMs(minute);
  Object.assign(cluster, { find: () => new Promise(() => undefined) });
  return { ...made, here, image };
}

describe('while Secrets cannot be read', () => {
  it('what another replica has verified serves without them', async () => {
    const { here, image } = await hanging('another');
    expect(await here.one(image, brief)).toMatchObject({ kind: 'trusted', remarks: ['first-use'] });
  });

  it('what was verified before goes on to serve', async () => {
    const { here, image, clock } = await hanging('here');
    clock.advanceMs(10 * minute);
    const remarks = expect.arrayContaining(['not-asked-again']);
    expect(await here.one(image, brief)).toMatchObject({ kind: 'trusted', remarks });
  });

  it('what nobody has verified is answered for in time', async () => {
    const { here, image } = await hanging('nobody');
    expect(await here.one(image, brief)).toMatchObject({ kind: 'unavailable', why: 'too-slow' });
  });
});
