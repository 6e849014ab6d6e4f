import { trouble } from '../cli/output.ts';

/** What it did not come to, where, and what Postgres said to it. */
export type NotStarted = { readonly what: string; readonly folder: string; readonly said: string };

/** Where nothing else helps. */
export const afresh = [
  'or remove its folder: what is in it is derived from the cluster (gatehouse dev --fresh forgets both)',
  'or, but for gatehouse dev, name another server by DATABASE_URL',
];

const full = /No space left on device|Disk quota exceeded|Check free disk space/;

export function notStarted({ what, folder, said }: NotStarted): Error {
  const complaints = complaintsIn(said);
  if (full.test(said)) {
    return trouble('the disk is full', {
      where: [...complaints.slice(0, 1), folder],
      mend: 'make room there, or name a folder on another disk by GATEHOUSE_STATE; what is kept stays as it is',
    });
  }
  return trouble(`the embedded Postgres ${what}`, {
    where: [folder, ...complaints],
    mend: ['mend what it complains of, or name another folder by GATEHOUSE_STATE', ...afresh],
  });
}

/** Without what it says while all is well, and without its clock and numbers. */
function complaintsIn(said: string): readonly string[] {
  return said
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('] LOG:  '))
    .map((line) => line.replace(/^[\d-]+ [\d:.]+ UTC \[\d+\] /, ''));
}
