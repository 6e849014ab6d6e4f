import { describe, expect, it } from 'vitest';
import { openReversing } from '#infra/emulator/world/real/reversing.ts';

describe('runs in the reverse order', () => {
  it('begin with the last that came, one after the other, until nobody is left', async () => {
    const said: string[] = [];
    const reversing = openReversing(() => said.push('nobody is left'));
    const run = async (name: string) => {
      const leave = await reversing.enter();
      said.push(`${name} begins`);
      await Promise.resolve();
      said.push(`${name} ends`);
      leave();
    };
    await Promise.all(['first', 'second'].map(run));
    expect(said).toEqual([
      ...['second begins', 'second ends', 'first begins', 'first ends'],
      'nobody is left',
    ]);
  });
});
