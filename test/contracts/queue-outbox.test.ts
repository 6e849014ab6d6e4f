import { outboxInMemory } from '#infra/emulator/testing/queue/outbox-in-memory.ts';
import { outboxContract } from './queue-outbox.ts';

outboxContract('outbox in memory', async () => {
  const outbox = outboxInMemory({ now: Date.now });
  return { outbox, begin: async () => outbox.open() };
});
