import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from '#infra/embedded-postgres/binaries.ts';
import { besideTheRun } from '../run-folder.ts';

/** One a checkout, a user and a version. */
export function keeperName(major: string): string {
  return `\0${nameOf(major)}`;
}

/** Of whoever has the name, whichever run started it: it may serve another one by then. */
export function keeperFolder(major: string): string {
  return join(besideTheRun(), nameOf(major));
}

function nameOf(major: string): string {
  const place = `${import.meta.dirname} ${process.getuid?.()} ${major}`;
  return `gatehouse-tests-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`;
}

/** 18 is the one that comes with us; older ones are Debian's. */
export async function binariesOf(major: string): Promise<{ readonly binaries?: Binaries }> {
  if (major === '18') return {};
  const root = `/usr/lib/postgresql/${major}`;
  await access(`${root}/bin/initdb`).catch((cause: unknown) => {
    throw new Error(`Postgres ${major} is not installed: apt-get install postgresql-${major}`, {
      cause,
    });
  });
  return { binaries: { root, links: [] } };
}
