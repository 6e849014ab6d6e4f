import type { Ground } from './ground.ts';
import { type Judged, line } from './report.ts';

/** What whoever sits at the terminal can give us, and the answer would be another. */
export function hintLines({ judgement }: Judged, { login, databaseUrl }: Ground): string {
  const isRefused =
    judgement.kind === 'untrusted' &&
    ['registry-refused', 'notary-refused'].includes(judgement.why);
  const isFirst = judgement.kind === 'trusted' && judgement.remarks.includes('first-use');
  const hints = [
    ...(isRefused && login === undefined ? ['--login-file has your logins shown to it'] : []),
    ...(isFirst && databaseUrl === undefined
      ? ['with DATABASE_URL its root is held to the one that the installation trusts']
      : []),
  ];
  return hints.map((hint) => `  ${line('hint', hint)}\n`).join('');
}
