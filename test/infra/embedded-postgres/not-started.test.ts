import { expect, it } from 'vitest';
import { sayError } from '#infra/cli/output.ts';
import { notStarted } from '#infra/embedded-postgres/not-started.ts';

const told = (said: string) =>
  sayError(notStarted({ what: 'did not start', folder: '/state/data', said }), { debug: false });

const starting = '2026-11-23 08:15:51.601 UTC [4408] LOG:  starting PostgreSQL 18.4\n';

it.each([
  'FATAL:  could not write lock file "postmaster.pid": No space left on device',
  'FATAL:  could not extend file "base/1/2691": Disk quota exceeded',
])('says that the disk is full, with the first word of it: %s', (words) => {
  expect(told(`${starting}2026-11-23 08:15:51.673 UTC [4408] ${words}\nAborted\n`)).toBe(
    [
      'gatehouse: the disk is full',
      `  where: ${words}`,
      '         /state/data',
      '  to mend it: make room there, or name a folder on another disk by GATEHOUSE_STATE; what is kept stays as it is',
      '',
    ].join('\n'),
  );
});

it('knows a full disk by the hint as well', () => {
  const words =
    'FATAL:  could not extend file: wrote only 4096 bytes\nHINT:  Check free disk space.';
  expect(told(words)).toMatch(/^gatehouse: the disk is full\n {2}where: FATAL:.*\n.*\/state\/data/);
});

it('leaves out what says nothing, and says where else it could live', () => {
  expect(told(`${starting}2026-11-23 08:15:51.673 UTC [4408] FATAL:  odd\n`)).toBe(
    [
      'gatehouse: the embedded Postgres did not start',
      '  where: /state/data',
      '         FATAL:  odd',
      '  to mend it: mend what it complains of, or name another folder by GATEHOUSE_STATE',
      '              or remove its folder: what is in it is derived from the cluster (gatehouse dev --fresh forgets both)',
      '              or, but for gatehouse dev, name another server by DATABASE_URL',
      '',
    ].join('\n'),
  );
});
