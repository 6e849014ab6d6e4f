import type { Schema } from '#infra/emulator/cluster/parts.ts';
import { componentSchema, objectMeta } from '#infra/emulator/cluster/schemas/open-schemas.ts';
import { type Kind, schemaOfWidgets } from './kinds.ts';

/** As the emulated cluster has it: published for the built-in kinds, from its definition for the custom one. */
export function schemaOf({ schema }: Kind): Schema {
  return schema === undefined ? widget : componentSchema(schema);
}

const widget: Schema = {
  ...schemaOfWidgets,
  properties: {
    ...schemaOfWidgets.properties,
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: objectMeta(),
  },
};
