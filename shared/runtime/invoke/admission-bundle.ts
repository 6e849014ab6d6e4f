import { handle } from 'hono/aws-lambda';
import type { AdmissionFunction } from '#shared/define.ts';
import { paths } from '#shared/domain/installation.ts';
import { admissionApp } from '../admission/app.ts';
import { bind } from '../admission/bind.ts';
import { openDesk } from '../admission/desk.ts';
import { directDoor } from '../admission/direct-door.ts';
import { type Bundle, bundleOf } from './bundle.ts';
import { faasRequests } from './faas.ts';
import type { Stage } from './stage.ts';

export function admissionBundle(definition: AdmissionFunction): Bundle {
  return bundleOf({
    isAdmission: true,
    async join(stage) {
      const { app, direct } = await doorsOf(definition, stage);
      const { phase, name } = definition;
      const faas = faasRequests(app, paths.alone(phase, name));
      return { app, direct, handler: handle(app), handle: faas };
    },
  });
}

/** The same desk as in the admission server, with one function at it: whoever deploys its bundle wants it. */
async function doorsOf(definition: AdmissionFunction, stage: Stage) {
  const { settings, log, meter, ports, portsOf } = stage;
  const bound = [await bind(definition, portsOf(definition))];
  const desk = openDesk({ bound, isEnabled: () => true, settings });
  const host = { settings, namespaces: ports.namespaces, meter, log };
  return { app: admissionApp(desk, host), direct: directDoor(desk, host) };
}
