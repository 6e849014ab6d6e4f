import type { TrustRules } from './rules.ts';
import type { ImageTrustSettings } from './settings.ts';
import { verifierKinds, wordsFor } from './verifiers.ts';

/** What stood in the files that the settings name when they were looked at: the same object as long as it is the same. */
export type TrustFiles = {
  /** Nothing where it could not be read. */
  textOf(path: string): string | undefined;
  /** Of its text, for verdicts to hold for it. */
  hashOf(path: string): string;
};

/** Each once; empty is what this version brings with it. */
export function trustFilesIn(settings: ImageTrustSettings): readonly string[] {
  return [...new Set(verifierKinds.flatMap((kind) => wordsFor(kind).filesIn(settings)))];
}

/** Whether somebody who is asked goes by a file at all. */
export function restOnFiles(
  { verifiers, registries }: Pick<TrustRules, 'verifiers' | 'registries'>,
  settings: ImageTrustSettings,
): boolean {
  const asked = [...verifiers, ...registries.flatMap((rule) => rule.verifiers)];
  return asked.some(({ kind }) => wordsFor(kind).filesIn(settings).length > 0);
}
