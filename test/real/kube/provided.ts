import type { TestProject } from 'vitest/node';
import { type KubeFacts, startKube } from './start.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** One API server for the whole run: a test works in a namespace of its own. */
    readonly kube: KubeFacts;
  }
}

/** The real project's global setup. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, restartApiserver: _, ...facts } = await startKube();
  project.provide('kube', facts);
  return stop;
}
