import { Counter, type Registry } from 'prom-client';

export type Counters = ReturnType<typeof openCounters>;

export function openCounters(registry: Registry) {
  const counter = (name: string, help: string, labels: readonly string[] = []) =>
    new Counter({
      name: `gatehouse_forwarder_${name}`,
      help,
      labelNames: ['scope', ...labels],
      registers: [registry],
    });
  return {
    events: counter('events_total', 'Changes taken over, by what happened.', ['change']),
    lists: counter('lists_total', 'Whole lists begun; the log says why.'),
    gone: counter(
      'synthesised_deletes_total',
      'Deletions that no watch told: by a list, a successor in one, or the end of the kind.',
    ),
    reconnects: counter('reconnects_total', 'Watches that ended, by how.', ['how']),
    refused: counter('refused_lines_total', 'Lines that could not be read.'),
    unsent: counter('unsent_wakeups_total', 'Wake-ups that no queue takes, dropped one by one.'),
    failures: counter('failures_total', 'Turns that ended by an outage.'),
    audits: counter('audits_total', 'Self-audits carried through; without any, lost says nothing.'),
    lost: counter('lost_total', 'What two self-audits found missing, and healed. It must stay 0.'),
  };
}
