import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { run } from '../kube/program.ts';
import { builtRegistry } from './build.ts';

export type ReferrersRegistry = {
  /** `localhost:41234` */
  readonly host: string;
  /** PEM */
  readonly ca: string;
  stop(): Promise<void>;
};

/** The registry of a Go module, with the referrers API of OCI 1.1, over TLS on loopback and in memory. */
export async function startReferrersRegistry(): Promise<ReferrersRegistry> {
  const program = builtRegistry();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-referrers-'));
  const file = (name: string) => join(folder, name);
  const ca = await makeCa();
  const leaf = await makeLeaf(ca, 'localhost');
  writeFileSync(file('leaf.crt'), leaf.certificate);
  writeFileSync(file('leaf.key'), leaf.key);
  const running = run(program, [file('leaf.crt'), file('leaf.key')], file('log'));
  // It takes a port that is free, and says which.
  const port = () => /listening on 127\.0\.0\.1:(\d+)/.exec(readFileSync(file('log'), 'utf8'))?.[1];
  await running.until('a registry that listens', async () => port() !== undefined);
  return {
    host: `localhost:${port()}`,
    ca: ca.certificate,
    async stop() {
      await running.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
