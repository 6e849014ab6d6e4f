import { describe, expect, it } from 'vitest';
import { waitingRoom } from '#shared/adapters/image-trust/waiting-room.ts';

const never = new AbortController().signal;
const forEver = 1_000_000;

describe('a waiting room', () => {
  it.each([
    ['its own name', 'app'],
    ['no name, which may be any', undefined],
  ])('lets one go on who is called by %s', async (_, called) => {
    const room = waitingRoom();
    const waiting = room.enter('app').wait(forEver, never);
    room.call(called);
    expect(await waiting).toBe(true);
  });

  it('has missed no call that came between entering and waiting', async () => {
    const room = waitingRoom();
    const place = room.enter('app');
    room.call('app');
    expect(await place.wait(forEver, never)).toBe(true);
  });

  it.each([
    ['by the name of another', 'enter', 'other'],
    ['a second time by one call', 'again', undefined],
    ['after having left', 'leave', 'app'],
  ])('calls nobody %s', async (_, way, called) => {
    const room = waitingRoom();
    const place = room.enter('app');
    if (way === 'again') {
      room.call('app');
      await place.wait(forEver, never);
    }
    if (way === 'leave') place.leave();
    const end = new AbortController();
    const waiting = place.wait(forEver, end.signal);
    if (called !== undefined) room.call(called);
    end.abort(new Error('nobody came'));
    expect(await waiting).toBe(false);
    expect(await place.wait(forEver, end.signal)).toBe(false);
  });

  it('lets one go on by himself when the time is over', async () => {
    expect(await waitingRoom().enter('app').wait(1, never)).toBe(false);
  });
});
