import type { Untrusted } from '#shared/domain/image-trust/judgement.ts';
import type { Ground } from './ground.ts';
import { type Judged, line } from './report.ts';

/** What whoever sits at the terminal can give us, and the answer would be another. */
export function hintLines({ judgement }: Judged, { login, databaseUrl }: Ground): string {
  const refused = judgement.kind === 'untrusted' ? refusedHint(judgement.why) : undefined;
  const isFirst = judgement.kind === 'trusted' && judgement.remarks.includes('first-use');
  const hints = [
    ...(refused !== undefined && login === undefined ? [refused] : []),
    ...(isFirst && databaseUrl === undefined
      ? ['with DATABASE_URL its root is held to the one that the installation trusts']
      : []),
  ];
  return hints.map((hint) => `  ${line('hint', hint)}\n`).join('');
}

function refusedHint(why: Untrusted): string | undefined {
  const login = '--login-file has your logins shown to it';
  if (why === 'notary-refused') return login;
  if (why !== 'registry-refused') return undefined;
  return `${login}; a pod needs a pull secret, since the kubelets' credential providers are never asked`;
}
