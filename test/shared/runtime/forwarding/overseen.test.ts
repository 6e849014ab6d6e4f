import { expect, it } from 'vitest';
import type { Told } from '#events/forwarder/told.ts';
import { oversee } from '#shared/runtime/forwarding/overseen.ts';

function overseen() {
  const said: string[] = [];
  const vigil = {
    sign: (loop: string, ms?: number) => void said.push(`${loop} +${ms}`),
    leave: (loop: string) => void said.push(`${loop} -`),
  };
  const over = oversee(vigil, { idleMs: 100, restoredMs: 20 });
  return { ...over, said: () => said.splice(0) };
}

const heard = (scope: string): Told => ({ kind: 'heard', scope, lines: 1, waitedMs: 0 });

it('counts from when a loop begins, and from each of its words, with all that it may wait for', () => {
  const { begin, hear, said } = overseen();
  begin(['pods']);
  begin(['pods', 'nodes']);
  hear(heard('pods'));
  hear({ kind: 'failed', scope: 'nodes', cause: new Error('no'), ms: 3_000 });
  expect(said()).toEqual([
    'forwarder of pods +120',
    'forwarder of nodes +120',
    'forwarder of pods +120',
    'forwarder of nodes +3120',
  ]);
});

it('lets go of what is followed no more, whatever is still said of it', () => {
  const { begin, hear, keepOnly, said } = overseen();
  begin(['pods', 'nodes']);
  said();
  keepOnly(['nodes']);
  hear(heard('pods'));
  keepOnly([]);
  expect(said()).toEqual(['forwarder of pods -', 'forwarder of nodes -']);
});
