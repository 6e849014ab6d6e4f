import { copyFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { Source } from './bundles.ts';
import { database } from './database.ts';
import { httpAlone } from './http-alone.ts';
import { loginOnly } from './login-only.ts';
import { common, root } from './options.ts';

/**
 * The `gatehouse` command and what function files are written against, in parts that load when they are needed. Maps are a
 * third of the work, and of use to whoever reads a stack.
 */
export async function buildProgram(
  sources: readonly Source[],
  directory: string,
  { hasMaps = true }: { readonly hasMaps?: boolean } = {},
): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    sourcemap: hasMaps && common.sourcemap,
    entryPoints: [
      { in: 'infra/cli/main.ts', out: 'cli/main' },
      // One build with the command: a user's function then decodes with the very copy of zod that the loop has.
      { in: 'infra/authoring/define.ts', out: 'define' },
      { in: 'infra/authoring/testing.ts', out: 'testing' },
    ],
    outdir: directory,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // It is the launcher that is run, and imports it.
    define: { 'import.meta.main': 'true' },
    plugins: [naming(sources), database(), httpAlone, loginOnly],
  });
  await copyFile(join(root, 'infra/cli/launcher.mjs'), join(directory, 'gatehouse.mjs'));
  await copyPublished(join(directory, 'chunks'));
  // In an image there is no other above it: without one, Node reads each part twice to find out what it is.
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }\n');
  return metafile;
}

/** What the emulated cluster reads from beside itself: once bundled, that is beside the chunks. */
async function copyPublished(chunks: string): Promise<void> {
  const cluster = join(root, 'infra/emulator/cluster');
  await copyFile(join(cluster, 'protobuf/messages.json.br'), join(chunks, 'messages.json.br'));
  await cp(join(cluster, 'schemas/published'), join(chunks, 'published'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
}

/** In the place of `infra/built-in.ts`, which reads the folder. */
function naming(sources: readonly Source[]): Plugin {
  return {
    name: 'naming',
    setup({ onLoad }) {
      onLoad({ filter: /\/infra\/built-in\.ts$/ }, () => ({
        contents: namedList(sources),
        resolveDir: root,
      }));
    },
  };
}

function namedList(sources: readonly Source[]): string {
  const items = sources.map(({ file }) => {
    const quoted = JSON.stringify(file);
    return `  { file: ${quoted}, load: () => import(${JSON.stringify(`./${file}`)}) },`;
  });
  return `export const builtIn = () => [
${items.join('\n')}
];
export const authoring = {
  'gatehouse/define': new URL('../define.js', import.meta.url).href,
  'gatehouse/testing': new URL('../testing.js', import.meta.url).href,
};
`;
}
