import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCa, makeLeaf } from './tls.ts';

export type Certified = {
  /** With what `certificates.source: files` reads. */
  readonly directory: string;
  /** The path of the CA; its PEM as well. */
  readonly caPath: string;
  readonly ca: string;
  remove(): void;
};

export async function certifiedForLoopback(): Promise<Certified> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-leaf-'));
  const ca = await makeCa();
  const leaf = await makeLeaf(ca, 'localhost');
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  write('tls.crt', leaf.certificate);
  write('tls.key', leaf.key);
  write('ca.crt', ca.certificate);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  return { directory, caPath: join(directory, 'ca.crt'), ca: ca.certificate, remove };
}
