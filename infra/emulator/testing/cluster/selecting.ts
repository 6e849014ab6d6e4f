import {
  type FieldSelector,
  matchesFields,
  parseFieldSelector,
} from '#shared/domain/field-selector.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import type { ListOptions } from '#shared/ports.ts';

export function selected(
  objects: readonly KubeObject[],
  options: ListOptions,
): readonly KubeObject[] {
  const found = objects.filter((object) => isSelected(object, options));
  if (options.metadataOnly !== true) return found;
  return found.map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }));
}

/** Any field can be selected by; the real server knows few beside `metadata.name` for each kind. */
function isSelected(object: KubeObject, options: ListOptions): boolean {
  const { namespace, labels, fields } = options;
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  if (labels !== undefined && !matchesLabels(labels, object.metadata.labels ?? {})) return false;
  return matchesFields(fieldsFrom(fields ?? ''), object);
}

function fieldsFrom(text: string): FieldSelector {
  const selector = parseFieldSelector(text);
  if (selector === undefined) throw new Error(`not a field selector: ${text}`);
  return selector;
}
