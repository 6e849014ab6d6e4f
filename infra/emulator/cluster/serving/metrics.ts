import type { Store } from '../store/store.ts';
import type { Beside } from './handling.ts';

/** How many objects there are and what the process takes, for whoever draws or alarms by it; the rest is the real server's. */
export function metricsPage(store: Store): Beside {
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
  return ({ route }) =>
    Promise.resolve(
      route.kind === 'plain' && route.path === '/metrics'
        ? { code: 200, body: measured(store), headers }
        : undefined,
    );
}

function measured(store: Store): string {
  const own = [...store.collections.values()].filter(({ storage }) => storage === undefined);
  const counts = own.map(({ kind, size }) => {
    const { group, resource } = kind;
    return `apiserver_resource_objects{group="${group}",resource="${resource}"} ${size()}`;
  });
  return [
    '# HELP apiserver_resource_objects [ALPHA] Number of stored objects split by kind.',
    '# TYPE apiserver_resource_objects gauge',
    ...counts,
    '# HELP process_resident_memory_bytes Resident memory size in bytes.',
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    '# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.',
    '# TYPE process_start_time_seconds gauge',
    `process_start_time_seconds ${performance.timeOrigin / 1_000}`,
    '',
  ].join('\n');
}
