import { Counter, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { countOf, timesOf } from '#shared/runtime/tally.ts';

const bounds = [0.001, 0.5, 2];
const named = { name: 'seconds', help: 'How long it took.', labelNames: ['path'] as const };
const counted = { name: 'answers', help: 'What was said.', labelNames: ['who', 'what'] as const };

const sorted = (text: string) => text.split('\n').toSorted();

describe('timesOf', () => {
  it('tells what the histogram of prom-client tells, at every bound and between them', async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const times = timesOf({ ...named, registry: ours }, bounds);
    const histogram = new Histogram({
      ...named,
      ...{ labelNames: ['path'], buckets: bounds, registers: [theirs] },
    });
    for (const path of ['/a', '/"b"\n']) {
      const observe = times({ path });
      for (const seconds of [0, 0.001, 0.0011, 0.5, 0.7, 2, 2.000_001, 100]) {
        observe(seconds);
        histogram.observe({ path }, seconds);
      }
    }
    expect(sorted(await ours.metrics())).toEqual(sorted(await theirs.metrics()));
    expect(await ours.metrics()).toContain('seconds_count{path="/a"} 8');
  });
});

describe('countOf', () => {
  it('tells what the counter of prom-client tells, as often as it is asked', async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const count = countOf({ ...counted, registry: ours });
    const counter = new Counter({
      ...counted,
      ...{ labelNames: ['who', 'what'], registers: [theirs] },
    });
    const labels = { who: 'a', what: 'allow' };
    const inc = count(labels);
    for (const times of [3, 0, 1]) {
      for (let at = 0; at < times; at += 1) {
        inc();
        counter.inc(labels);
      }
      expect(sorted(await ours.metrics())).toEqual(sorted(await theirs.metrics()));
    }
    expect(await ours.metrics()).toContain('answers{who="a",what="allow"} 4');
  });
});
