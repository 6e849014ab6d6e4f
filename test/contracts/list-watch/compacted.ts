import { describe, expect, it } from 'vitest';
import { follow, told } from './followed.ts';
import { forever, mapsIn, namesOf, type Open, pageOf, writer } from './place.ts';

/** For a server whose past can be taken away. */
export function compactionContract(
  name: string,
  { open, compact }: { readonly open: Open; readonly compact: () => Promise<void> },
): void {
  describe(`${name}, compacted`, () => {
    it('has no second page of a list any more, says so, and has a new list', async () => {
      const place = await open();
      for (const letter of ['a', 'b', 'c']) await writer(place).create(letter);
      const first = await pageOf(place, mapsIn(place), { limit: 1 });
      await writer(place).create('d');
      await compact();
      const options = { limit: 1, continue: first.continue, signal: forever };
      expect(await place.stream.list(mapsIn(place), options)).toMatchObject({ kind: 'expired' });
      const anew = await pageOf(place, mapsIn(place));
      expect(namesOf(anew.objects)).toEqual(['a', 'b', 'c', 'd']);
    });

    it('goes on with the watches that are open', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      await writer(place).create('a');
      await compact();
      await writer(place).create('b');
      expect(told(await watch.changes(2))).toEqual(['ADDED a', 'ADDED b']);
    });
  });
}
