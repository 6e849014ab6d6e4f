import { describe, expect, it } from 'vitest';
import type { Kind } from '#shared/domain/kind.ts';
import { forever, type Open, type Place, uniqueName } from './place.ts';

/** `kill` registers an aggregated API of that group, and nobody who answers for it. */
export function deadGroupContract(
  name: string,
  {
    open,
    kill,
  }: { readonly open: Open; readonly kill: (place: Place, kind: Kind) => Promise<void> },
): void {
  describe(`${name}, with an aggregated API that is dead`, () => {
    it('answers as busy, and never as if the kind were gone', async () => {
      const place = await open();
      const group = `${uniqueName('dead')}.example.dev`;
      const kind = { group, version: 'v1', kind: 'Thing', resource: 'things', namespaced: true };
      await kill(place, kind);
      const { stream } = place;
      const options = { resourceVersion: '1', timeoutSeconds: 5, idleMs: 5_000, signal: forever };
      const list = () => stream.list({ kind }, { limit: 1, signal: forever });
      await expect.poll(list, { timeout: 10_000 }).toMatchObject({ kind: 'busy' });
      expect(await stream.watch({ kind }, options)).toMatchObject({ kind: 'busy' });
      expect(await stream.version({ kind }, forever)).toMatchObject({ kind: 'busy' });
      await expect(stream.served(kind, forever)).rejects.toThrow(`cannot discover /apis/${group}`);
    });
  });
}
