import { timelineFrom } from '#infra/emulator/testing/queue/timeline.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { scheduleInMemory } from '#infra/emulator/testing/schedule-in-memory.ts';
import { scheduleContract } from './schedule.ts';

scheduleContract('schedule in memory', async () => {
  const { now, after, advance } = timelineFrom(Date.parse('2030-01-01T00:00:00Z'));
  const queue = queueInMemory({ now, after });
  return { schedule: scheduleInMemory({ now, queue }), queue, functions: ['one', 'two'], advance };
});
