import type { Settings } from '#shared/domain/settings.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import type { Registry } from '#shared/runtime/registry.ts';

/** What the emulator sets itself, whatever the file says: where it listens, and that it ends at once. */
function settingsOf(stated: Settings, port: number): Settings {
  return {
    ...stated,
    server: { ...stated.server, address: '127.0.0.1', port, probePort: 0, drainSeconds: 0 },
    worker: { ...stated.worker, graceSeconds: 0 },
    // One process, which learns of its bundle at once.
    certificates: { ...stated.certificates, source: 'self', settle: '0s' },
  };
}

/** The file's settings with ours laid over. Functions that were reloaded count as a change of it: whoever looks at one looks at both. */
export function configInWork(
  file: ConfigSource,
  { registry, port }: { readonly registry: Registry; readonly port: number },
): ConfigSource {
  let known = { of: file.current(), settings: settingsOf(file.current(), port) };
  return {
    ...file,
    current() {
      const of = file.current();
      if (of !== known.of) known = { of, settings: settingsOf(of, port) };
      return known.settings;
    },
    generation: () => file.generation() + registry.generation(),
  };
}
