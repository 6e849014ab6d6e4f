import type { Change, Denial, Verdict } from '#shared/domain/verdict.ts';
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
  const patch = verdict.kind === 'patch' ? patchOf(verdict.changes) : undefined;
  const response = responseOf(uid, verdict, patch);
  const { warnings, audit } = verdict;
  // Most have neither, and to copy what they have would cost as much as to write it.
  const remarked =
    warnings === undefined && audit === undefined
      ? response
      : { ...response, ...remarksOf(verdict) };
  const text = JSON.stringify({ apiVersion: version, kind: 'AdmissionReview', response: remarked });
  return patch === undefined ? text : withPatch(text, patch);
}

/** At the response's end, as it is: Base64 has nothing to be escaped, and a patch may be most of the answer. */
function withPatch(text: string, patch: string): string {
  return `${text.slice(0, -2)},"patch":"${patch}"}}`;
}

export function unreadableText({ version, uid, code, why }: Unreadable): string {
  const response = { uid, allowed: false, status: { code, message: clean(why, 512) } };
  return JSON.stringify({ apiVersion: version, kind: 'AdmissionReview', response });
}

/** What is answered, and what is logged of it: whoever makes a pod chooses how many reasons there are, and how long each is. */
export function denialText({ reasons }: Denial): string {
  const most = limits.messageCharacters;
  // More of them than it has characters would not be seen.
  return cut(reasons.slice(0, most).join('; '), most);
}

/** All but the patch itself. */
function responseOf(uid: string, verdict: Verdict, patch: string | undefined) {
  switch (verdict.kind) {
    case 'allow':
      return { uid, allowed: true };
    case 'patch':
      return patch === undefined
        ? { uid, allowed: true, warnings: ['the changes were too large to be made'] }
        : { uid, allowed: true, patchType: 'JSONPatch' };
    case 'deny':
      return {
        uid,
        allowed: false,
        status: {
          code: verdict.code,
          reason: 'Forbidden',
          message: denialText(verdict),
        },
      };
  }
}

function patchOf(changes: readonly Change[]): string | undefined {
  return base64Of(JSON.stringify(changes.map(operationOf)));
}

/** One for all patches but huge ones: with a Buffer for each, a review took 17 µs more, most of it in freeing their memory. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);

function base64Of(text: string): string | undefined {
  // A character takes at most three bytes.
  if (text.length * 3 <= scratch.length) return scratch.toString('base64', 0, scratch.write(text));
  const bytes = Buffer.from(text, 'utf8');
  return bytes.byteLength > limits.patchBytes ? undefined : bytes.toString('base64');
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
  if (cleaned.length * limits.warningCharacters <= limits.warningsCharacters) return cleaned;

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
  // No character takes more than two places.
  const all = [...text.slice(0, 2 * characters + 1)];
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join('')}…`;
}
