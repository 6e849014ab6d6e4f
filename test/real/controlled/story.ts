import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Step } from '#test/contracts/kube-api/case.ts';

export type Story = {
  readonly title: string;
  /** The kinds whose objects are compared as wholes after each step. */
  readonly looks: readonly string[];
  /** Requests as those of the contract's cases, and what hands do to pods: `RUN 2`. */
  readonly steps: readonly Step[];
};

const folder = new URL('stories/', import.meta.url);

export function allStories(): readonly Story[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap(
      (file) =>
        parse(readFileSync(new URL(file, folder), 'utf8'), { merge: true }) as readonly Story[],
    );
}
