import type { KnownMigration } from '#shared/adapters/database/schema.ts';
import type { AdmissionFunction } from '#shared/define.ts';
import { paths } from '#shared/domain/installation.ts';
import { bind } from '../admission/bind.ts';
import { openDesk } from '../admission/desk.ts';
import { directDoor } from '../admission/direct-door.ts';
import { once } from '../once.ts';
import { type Bundle, bundleOf } from './bundle.ts';
import type { Stage } from './stage.ts';

/** The same desk as in the admission server, with one function at it: whoever deploys its bundle wants it. */
export function admissionBundle(
  definition: AdmissionFunction,
  schema: readonly KnownMigration[],
): Bundle {
  return bundleOf({
    definition,
    schema,
    async join(stage: Stage) {
      const { settings, log, meter, ports, portsOf } = stage;
      const bound = [await bind(definition, portsOf(definition))];
      const desk = openDesk({ bound, isEnabled: () => true, settings });
      const host = { settings, namespaces: ports.namespaces, meter, log };
      const { phase, name } = definition;
      const doors = once(async () => {
        const { admissionDoors } = await import('./admission-doors.ts');
        return admissionDoors(desk, host, paths.alone(phase, name));
      });
      return {
        app: { fetch: async (request, env) => (await doors.get()).app.fetch(request, env) },
        direct: directDoor(desk, host),
        handler: async (event) => (await doors.get()).handler(event),
        handle: async (context) => (await doors.get()).handle(context),
      };
    },
  });
}
