import { join } from 'node:path';
import { build } from 'esbuild';

/** As a user ships it: a file of JavaScript. To strip types, Node loads a compiler that takes 30 MiB. */
export async function bundleFunctions(directory: string): Promise<string> {
  const outdir = join(directory, 'functions');
  await build({
    entryPoints: [join(import.meta.dirname, '../functions/forwarder/follow-all.ts')],
    outdir,
    ...({ bundle: true, format: 'esm', platform: 'node', target: 'node24' } as const),
    outExtension: { '.js': '.mjs' },
  });
  return outdir;
}
