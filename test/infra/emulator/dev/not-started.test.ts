import { expect, it } from 'vitest';
import { notStarted } from '#infra/emulator/dev/not-started.ts';

const at = { port: 6443, directory: '/state' };

it.each([
  ['a newer state', 'it is of a newer gatehouse', 'this state folder is of a newer Gatehouse'],
  ['a second one', '/state is in use by process 7', 'another Gatehouse uses this state folder'],
  ['a damaged log', 'line 3 is broken at byte 9', 'the state of the cluster cannot be read'],
  ['a full disk', 'ENOSPC: no space left on device, write', 'the disk is full'],
])(
  'what did not start because of %s is told with where it is and how to mend it',
  (_, said, what) => {
    expect(notStarted(new Error(said), at)).toMatchObject({
      message: what,
      where: [said, '/state'],
      mend: expect.stringContaining('--state'),
    });
  },
);

it('what nobody knows is handed on as it is', () => {
  expect(notStarted(new Error('odd'), at)).toMatchObject({ message: 'odd' });
});
