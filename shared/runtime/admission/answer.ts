import type { Change, Verdict } from '#shared/domain/verdict.ts';
import type { Asked, Unreadable } from './envelope.ts';

/** What the API server takes: longer warnings it cuts or drops, a larger patch could never be stored. */
const limits = {
  warningCharacters: 256,
  warningsCharacters: 4_096,
  messageCharacters: 8_192,
  auditCharacters: 1_024,
  patchBytes: 3 * 1024 * 1024,
} as const;

/** The review's answer as JSON text, in the version asked. */
export function answerText({ version, uid }: Asked, verdict: Verdict): string {
  const response = { uid, ...responseOf(verdict), ...remarksOf(verdict) };
  return JSON.stringify({ apiVersion: version, kind: 'AdmissionReview', response });
}

export function unreadableText({ version, uid, code, why }: Unreadable): string {
  const response = { uid, allowed: false, status: { code, message: clean(why, 512) } };
  return JSON.stringify({ apiVersion: version, kind: 'AdmissionReview', response });
}

function responseOf(verdict: Verdict) {
  switch (verdict.kind) {
    case 'allow':
      return { allowed: true };
    case 'patch':
      return patched(verdict.changes);
    case 'deny':
      return {
        allowed: false,
        status: {
          code: verdict.code,
          reason: 'Forbidden',
          message: cut(verdict.reasons.join('; '), limits.messageCharacters),
        },
      };
  }
}

function patched(changes: readonly Change[]) {
  const patch = Buffer.from(JSON.stringify(changes.map(operationOf)), 'utf8');
  if (patch.byteLength > limits.patchBytes) {
    return { allowed: true, warnings: ['the changes were too large to be made'] };
  }
  return { allowed: true, patchType: 'JSONPatch', patch: patch.toString('base64') };
}

/** The reason stays here: the API server would refuse a member that it does not know. */
function operationOf(change: Change) {
  const { op, path } = change;
  return op === 'remove' ? { op, path } : { op, path, value: change.value };
}

function remarksOf({ warnings, audit }: Verdict) {
  return {
    ...(warnings === undefined ? {} : { warnings: fitting(warnings) }),
    ...(audit === undefined ? {} : { auditAnnotations: auditable(audit) }),
  };
}

function fitting(warnings: readonly string[]): readonly string[] {
  const cleaned = warnings.map((warning) => clean(warning, limits.warningCharacters));
  const kept: string[] = [];
  let left: number = limits.warningsCharacters;
  for (const warning of cleaned) {
    left -= [...warning].length;
    if (left >= 0) kept.push(warning);
  }
  return kept;
}

const auditKey = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

function auditable(audit: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(audit)
      .filter(([key]) => auditKey.test(key))
      .map(([key, value]) => [key, cut(value, limits.auditCharacters)]),
  );
}

/** Warnings become HTTP headers: a line break or another control character would lose them. */
function clean(text: string, characters: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return cut(text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim(), characters);
}

function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const all = [...text];
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join('')}…`;
}
