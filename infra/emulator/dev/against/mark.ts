import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '#shared/domain/kube-object.ts';

/** On all that `gatehouse dev --against` makes, with whose it is. */
export const markLabel = 'gatehouse.io/dev';

/** Whose work it is: of this state folder, also after it was killed. */
export async function ownMark(folder: string): Promise<string> {
  const file = join(folder, 'mark');
  const kept = await readFile(file, 'utf8').catch(missing);
  if (kept !== undefined) return kept.trim();
  const mark = randomBytes(8).toString('hex');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, `${mark}\n`, { mode: 0o600 });
  return mark;
}

export function markOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[markLabel];
}

export function marked(object: KubeObject, mark: string): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, labels: { ...metadata.labels, [markLabel]: mark } },
  };
}

function missing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause;
}
