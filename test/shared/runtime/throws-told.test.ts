import { describe, expect, it } from 'vitest';
import { throwsTold } from '#shared/runtime/throws-told.ts';

function telling() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const time = { ms: 0 };
  const tell = throwsTold({ error: (fields) => lines.push(fields) }, () => time.ms);
  return { lines, time, tell };
}

describe('what threw', () => {
  it('is told once, however many caught it', () => {
    const { lines, time, tell } = telling();
    const cause = new Error('split');
    for (time.ms of [0, 2_000, 4_000]) tell(cause);
    expect(lines).toEqual([{ err: cause, passedOver: 0 }]);
  });

  it.each([
    ['errors', (at: number) => new Error(`${at}`)],
    ['what is no error', (at: number) => `${at}`],
  ])('is told once a second, and of how many not: %s', (_, of) => {
    const { lines, time, tell } = telling();
    for (let at = 0; at < 10; at += 1) {
      time.ms = at * 300;
      tell(of(at));
    }
    expect(lines).toEqual([
      { err: of(0), passedOver: 0 },
      { err: of(4), passedOver: 3 },
      { err: of(8), passedOver: 3 },
    ]);
  });
});
