import type { Settings } from '#shared/domain/settings.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { isInspected } from './inspecting.ts';

/** Where it listens, and by which other names it is called. */
export type Front = {
  readonly port: number;
  /** One that stays over a restart; any free one where it is left out. */
  readonly probePort?: number;
  readonly address?: string;
  readonly names?: readonly string[];
};

/** A message is in the hands of whoever stands at a breakpoint; one that is told to stop gives it back. */
const inspectedSeconds = 3_600;

/** What the emulator sets itself, whatever the file says: where it listens, and that it ends at once. */
function settingsOf(
  stated: Settings,
  { port, probePort = 0, address = '127.0.0.1', names = [] }: Front,
): Settings {
  const { server, worker, certificates, forwarder } = stated;
  const { visibilitySeconds } = worker;
  return {
    ...stated,
    server: { ...server, address, port, probePort, drainSeconds: 0 },
    worker: {
      ...worker,
      graceSeconds: 0,
      visibilitySeconds: isInspected() ? inspectedSeconds : visibilitySeconds,
    },
    // One process, which learns of its bundle and of a new trigger at once.
    forwarder: { ...forwarder, settleMs: 0 },
    certificates: {
      ...certificates,
      source: 'self',
      settle: '0s',
      dnsNames: [...certificates.dnsNames, ...names],
    },
  };
}

type Around = { readonly registry: Registry; readonly server: Front };

/** The file's settings with ours laid over. Functions that were reloaded count as a change of it: whoever looks at one looks at both. */
export function configInWork(file: ConfigSource, { registry, server }: Around): ConfigSource {
  let known = { of: file.current(), settings: settingsOf(file.current(), server) };
  return {
    ...file,
    current() {
      const of = file.current();
      if (of !== known.of) known = { of, settings: settingsOf(of, server) };
      return known.settings;
    },
    generation: () => file.generation() + registry.generation(),
  };
}
