import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '#infra/build/program.ts';
import { builtInSources } from '#infra/build.ts';

/** The `gatehouse` command as it is published, built anew; the path of what is run. */
export async function buildCommand(directory: string): Promise<string> {
  const out = join(directory, 'program');
  await buildProgram(await builtInSources(), out);
  return join(out, 'gatehouse.mjs');
}

/** JSON is YAML; with `indent` it is read as that, and not as what a program wrote. */
export function writeConfig(
  file: string,
  settings: object,
  write: (settings: object) => string = JSON.stringify,
): string {
  writeFileSync(file, write(settings));
  return file;
}
