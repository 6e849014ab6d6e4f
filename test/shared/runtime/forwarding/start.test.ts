import { expect, it, onTestFinished, vi } from 'vitest';
import { steadyNow } from '#shared/runtime/forwarding/start.ts';

it('the forwarder’s clock goes on where that of the machine is set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const before = steadyNow();
  vi.setSystemTime(0);
  expect(steadyNow()).toBeGreaterThanOrEqual(before);
});
