import { expect, it } from 'vitest';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { onlooker } from './housekeeping-stage.ts';

const none: readonly Pod[] = [];

it('who looks on sees that an app does not run at all', async () => {
  const looking = onlooker({ pods: async () => [...none] }, ['web']);
  await looking.stop();
  expect([...looking.fewest]).toEqual([['web', 0]]);
});
