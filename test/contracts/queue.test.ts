import { timelineFrom } from '#infra/emulator/testing/queue/timeline.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { queueContract } from './queue.ts';

queueContract('queue in memory', async () => {
  const { now, after, advance } = timelineFrom(Date.parse('2030-01-01T00:00:00Z'));
  const queue = queueInMemory({ now, after });
  return {
    queue,
    functions: ['one', 'two', 'three'],
    advance,
    begin: async () => queue.open(),
  };
});
