import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Answer } from './server.ts';
import type { Step } from './step.ts';

export const recording = new URL('./recorded.json.br', import.meta.url);

export type RecordedLife = {
  readonly title: string;
  readonly name: string;
  readonly kind: string;
  readonly deeds: readonly {
    readonly step: Step;
    readonly before?: JsonObject;
    readonly real: Answer;
    readonly asked: string;
    /** What was patched here, and found to be what the server made of it. */
    readonly object?: JsonObject;
  }[];
};

export function recordedLives(): readonly RecordedLife[] {
  return JSON.parse(brotliDecompressSync(readFileSync(recording)).toString()) as RecordedLife[];
}
