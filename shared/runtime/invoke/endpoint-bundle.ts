import { handle } from 'hono/aws-lambda';
import type { KnownMigration } from '#shared/adapters/database/schema.ts';
import type { EndpointFunction } from '#shared/define.ts';
import { type Bundle, bundleOf } from './bundle.ts';
import { endpointApp } from './endpoint-app.ts';
import { faasRequests } from './faas.ts';

export function endpointBundle(
  definition: EndpointFunction,
  schema: readonly KnownMigration[],
): Bundle {
  return bundleOf({
    definition,
    schema,
    join({ log, portsOf }) {
      const app = endpointApp(definition, { ports: portsOf(definition), log });
      const handler = handle(app);
      return { app, handler, handle: faasRequests(app, definition.trigger.path) };
    },
  });
}
