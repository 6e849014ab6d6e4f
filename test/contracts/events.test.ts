import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { eventWriter } from '#shared/adapters/cluster/events.ts';
import { eventsIn } from './cluster/events-in.ts';
import { eventsContract } from './events.ts';

eventsContract('recorded events', async () => {
  const events = eventsRecorded();
  return {
    events,
    namespace: 'team-a',
    listFor: async (uid) =>
      events
        .list()
        .filter(({ regarding }) => regarding.uid === uid)
        .map(({ regarding: _, ...seen }) => seen),
  };
});

eventsContract('events written to the cluster in memory', async () => {
  const cluster = clusterInMemory();
  const clock = clockAt('2030-01-01T00:00:00Z');
  return {
    events: eventWriter(cluster, clock, { component: 'gatehouse' }),
    namespace: 'team-a',
    listFor: (uid) => eventsIn(cluster, uid),
  };
});
