import type { Settings } from '#shared/domain/settings.ts';
import { trouble } from './output.ts';

/** Why nothing is served where the settings say so; several roles on one machine meet at the same ports. */
export function notListening(cause: unknown, { server }: Settings): unknown {
  if (!isOfListening(cause)) return cause;
  const { address, port } = cause;
  const setting = port === server.probePort ? 'server.probePort' : 'server.port';
  return trouble(`port ${port} cannot be listened on`, {
    where: `${address}:${port}, of server.address and ${setting}`,
    mend: mendOf(cause.code, setting),
    cause,
  });
}

function mendOf(code: string, setting: string): string {
  switch (code) {
    case 'EADDRNOTAVAIL':
      return 'set server.address in the configuration to an address of this machine, 0.0.0.0 for all of them';
    case 'EACCES':
      return `set ${setting} in the configuration to a port from 1024 on, or give this process the right to those below`;
    default:
      return `stop what listens there, or set ${setting} in the configuration to another port, 0 for any free one`;
  }
}

type OfListening = Error & {
  readonly code: string;
  readonly address: string;
  readonly port: number;
};

function isOfListening(cause: unknown): cause is OfListening {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'listen';
}
