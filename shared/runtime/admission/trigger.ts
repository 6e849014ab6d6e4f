import type { AdmissionTrigger } from '#shared/define.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { type LabelSelector, matchesLabels } from '#shared/domain/selector.ts';
import type { Asked } from './envelope.ts';

/** Operation, group and resource, as a webhook rule has them. */
export function isAskedFor(trigger: AdmissionTrigger, { resource, review }: Asked): boolean {
  const name =
    review.subresource === undefined
      ? resource.resource
      : `${resource.resource}/${review.subresource}`;
  return (
    trigger.operations.includes(review.operation) &&
    (trigger.group ?? '') === resource.group &&
    trigger.resources.includes(name)
  );
}

/** As the API server does it: one match of the new or the old object is enough. */
export function matchesObject(
  selector: LabelSelector,
  ...objects: readonly (JsonObject | undefined)[]
): boolean {
  return objects.some(
    (object) => object !== undefined && matchesLabels(selector, labelsOf(object)),
  );
}

function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  const metadata = object['metadata'];
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  if (!isJsonObject(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
