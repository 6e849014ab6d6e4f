import { describe, expect, it } from 'vitest';
import { periodElapsed } from '#events/kinds.ts';
import { openMetrics } from '#shared/runtime/metrics.ts';
import { measureDepth, openWorkerMeter } from '#shared/runtime/worker/meter.ts';
import type { Worked } from '#shared/runtime/worker/working.ts';
import { messageOf } from '#test/support/working.ts';

const delivery = { ...messageOf(), id: 'm1', receipt: 'r1', attempt: 0, received: 1, waitedMs: 40 };
const worked = (outcome: Worked['outcome']): Worked => ({
  delivery,
  payload: undefined,
  outcome,
  ms: 3,
});
const depth = { function: 'f', waiting: 3, inFlight: 2, dead: 1, oldestSeconds: 7 };

describe('the worker’s meter', () => {
  it('counts what is buried, how long messages waited, and what is in hand', async () => {
    const { registry, text } = openMetrics({ process: false });
    const meter = openWorkerMeter(registry, () => 5);
    for (const outcome of ['done', 'give-up', 'undecodable', 'retry'] as const) {
      meter.worked(worked(outcome));
    }
    const period = { ...delivery, type: periodElapsed.name };
    meter.worked({ ...worked('give-up'), delivery: period });
    const said = await text();
    expect(said).toContain(
      'gatehouse_messages_buried_total{function="follow-maps",outcome="give-up"} 1',
    );
    expect(said).not.toContain('outcome="retry"');
    expect(said).toContain('gatehouse_message_wait_seconds_count{function="follow-maps"} 5');
    expect(said).toContain('gatehouse_messages_in_flight 5');
  });

  it('asks for the depth of the queue once a scrape, and not before', async () => {
    const { registry, text } = openMetrics({ process: false });
    let asked = 0;
    measureDepth(registry, {
      depth: async () => {
        asked += 1;
        return [depth];
      },
    });
    expect(asked).toBe(0);
    const said = await text();
    expect(asked).toBe(1);
    expect(said).toContain('gatehouse_queue_messages{function="f",state="in-flight"} 2');
    expect(said).toContain('gatehouse_queue_oldest_seconds{function="f"} 7');
  });

  it('shows the other metrics while the queue is away, and no old depth', async () => {
    const { registry, text } = openMetrics({ process: false });
    openWorkerMeter(registry, () => 0);
    let isAway = false;
    measureDepth(registry, {
      depth: async () => {
        if (isAway) throw new Error('connect ECONNREFUSED');
        return [depth];
      },
    });
    await text();
    isAway = true;
    const said = await text();
    expect(said).toContain('gatehouse_messages_in_flight 0');
    expect(said).not.toContain('gatehouse_queue_messages{');
  });
});
