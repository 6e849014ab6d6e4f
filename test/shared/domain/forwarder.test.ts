import { describe, expect, it } from 'vitest';
import { usualPace } from '#events/forwarder/world.ts';
import { decode } from '#shared/domain/decode.ts';
import { forwarderSettings } from '#shared/domain/forwarder.ts';

describe('forwarderSettings', () => {
  it('are the usual pace where nothing is said', () => {
    const decoded = decode(forwarderSettings, {});
    expect(decoded.ok && usualPace).toMatchObject(decoded.ok ? decoded.value : {});
  });
});
