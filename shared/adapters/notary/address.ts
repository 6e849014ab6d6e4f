import type { Ask } from '#shared/domain/image-trust/tuf/asking.ts';

/** The server's own path stays in front, as upstream has it. */
export function addressOf(server: URL, gun: string, { role, at }: Ask): URL {
  const base = server.href.replace(/[?#].*$/, '').replace(/\/+$/, '');
  return new URL(`${base}/v2/${gun}/_trust/tuf/${fileOf(role, at)}`);
}

/** The digest follows the role, a version precedes it. */
function fileOf(role: string, at: Ask['at']): string {
  switch (at.kind) {
    case 'latest':
      return `${role}.json`;
    case 'version':
      return `${at.version}.${role}.json`;
    case 'digest':
      return `${role}.${at.sha256}.json`;
  }
}
