import { handle } from 'hono/aws-lambda';
import type { AdmissionFunction } from '#shared/define.ts';
import { paths } from '#shared/domain/installation.ts';
import { admissionApp } from '../admission/app.ts';
import { bind } from '../admission/bind.ts';
import { openDesk } from '../admission/desk.ts';
import { type Bundle, bundleOf } from './bundle.ts';
import { faasRequests } from './faas.ts';
import type { Stage } from './stage.ts';

export function admissionBundle(definition: AdmissionFunction): Bundle {
  return bundleOf({
    isAdmission: true,
    async join(stage) {
      const app = await appOf(definition, stage);
      const { phase, name } = definition;
      return { app, handler: handle(app), handle: faasRequests(app, paths.alone(phase, name)) };
    },
  });
}

/** The same desk as in the admission server, with one function at it: whoever deploys its bundle wants it. */
async function appOf(definition: AdmissionFunction, stage: Stage) {
  const { settings, log, meter, ports, portsOf } = stage;
  const bound = [await bind(definition, portsOf(definition))];
  const desk = openDesk({ bound, isEnabled: () => true, settings });
  return admissionApp(desk, {
    settings,
    namespaces: ports.namespaces,
    meter,
    log,
  });
}
