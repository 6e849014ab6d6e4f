import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openVigil, type Vigil } from '#shared/runtime/vigil.ts';

const patience = { patienceMs: 1_000, tickMs: 100 };

describe('the vigil over loops', () => {
  let vigil: Vigil;
  const told: (readonly string[])[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    told.length = 0;
    vigil = openVigil((still) => told.push(still), patience);
  });
  afterEach(() => {
    vigil.close();
    vi.useRealTimers();
  });
  const never = () => new Promise<never>(() => undefined);

  it('tells once of a loop that says nothing, and once when it does again', () => {
    vigil.sign('one');
    vi.advanceTimersByTime(900);
    expect([vigil.still(), told]).toEqual([[], []]);
    vi.advanceTimersByTime(1_000);
    expect([vigil.still(), told]).toEqual([['one'], [['one']]]);
    vigil.sign('one');
    expect(vigil.still()).toEqual([]);
    vi.advanceTimersByTime(500);
    expect(told).toEqual([['one'], []]);
  });

  it('leaves alone whoever goes on', () => {
    for (let turn = 0; turn < 30; turn += 1) {
      vigil.sign('one');
      vi.advanceTimersByTime(900);
    }
    expect(told).toEqual([]);
  });

  it('waits for a pause, and for nothing that is over', () => {
    vigil.sign('pausing', 500);
    vigil.sign('over');
    vigil.leave('over');
    vi.advanceTimersByTime(1_400);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(told).toEqual([['pausing']]);
  });

  it('sees a step that does not come back, beside others of its loop that do', async () => {
    void vigil.during('one', never);
    void vigil.during('one', never);
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await vigil.during('one', async () => turn)).toBe(turn);
      vi.advanceTimersByTime(100);
    }
    expect([vigil.still(), told]).toEqual([['one'], [['one']]]);
  });

  it('holds nothing against a step that failed', async () => {
    const failing = () => Promise.reject(new Error('on purpose'));
    await expect(vigil.during('one', failing)).rejects.toThrow('on purpose');
    vi.advanceTimersByTime(5_000);
    expect(told).toEqual([]);
  });

  it('does not count the time that the process itself slept', () => {
    vigil.sign('one');
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersByTime(900);
    expect(vigil.still()).toEqual([]);
  });
});
