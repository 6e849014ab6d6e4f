import type { Settings } from '#shared/domain/settings.ts';
import { trouble } from './output.ts';

/** Why nothing is served where the settings say so; several roles on one machine meet at the same ports. */
export function notListening(cause: unknown, { server }: Settings): unknown {
  if (!isOfListening(cause)) return cause;
  const { address, port } = cause;
  const setting = port === server.probePort ? 'server.probePort' : 'server.port';
  return trouble(`port ${port} cannot be listened on`, {
    where: `${address}:${port}, of server.address and ${setting}`,
    mend: `stop what listens there, or set ${setting} in the configuration to another port, 0 for any free one`,
    cause,
  });
}

type OfListening = Error & { readonly address: string; readonly port: number };

function isOfListening(cause: unknown): cause is OfListening {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'listen';
}
