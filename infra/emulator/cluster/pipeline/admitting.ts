import type { Admitting } from '../parts.ts';
import { metadataOf } from './metadata.ts';
import type { Draft, Write } from './write.ts';

/** What admission is told of a write. */
export function admittingOf({ object, before }: Draft, write: Write): Admitting {
  const { of, version, subresource, user, options, rules } = write;
  const name = write.name || String(metadataOf(object)['name'] ?? '');
  const isNamespace = of.kind.resource === 'namespaces' && of.kind.group === '';
  return {
    ...{ kind: of.kind, version, subresource, name, object, before, user },
    namespace: isNamespace ? name : write.namespace,
    operation: before === undefined ? 'CREATE' : 'UPDATE',
    options: options.stated,
    dryRun: options.dryRun,
    defaulted: rules.defaulted,
  };
}
