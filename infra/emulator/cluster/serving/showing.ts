import { badRequest, type Refusal, refusal } from '../refusal.ts';
import { isOfMany } from './request.ts';
import type { Asked } from './world.ts';

/** What was asked for in a form that it does not have. */
export function unshowable({ accepted, verb, query, of, route }: Asked): Refusal | undefined {
  if (accepted?.as === 'table') return unknownInclusion(query.get('includeObject') ?? '');
  if (accepted?.isOf === undefined || verb === 'watch') return undefined;
  const isList = isOfMany(verb) || (verb === 'delete' && route.name === undefined);
  if (isList === (accepted.isOf === 'many')) return undefined;
  if (of.kind.isCustom && !isList) return refusal(500, { message: 'content is not a list' });
  return refusal(406, { reason: 'NotAcceptable', message: otherForm(of.kind, isList) });
}

function unknownInclusion(stated: string): Refusal | undefined {
  if (['', 'Metadata', 'Object', 'None'].includes(stated)) return undefined;
  const why = `Invalid value: ${JSON.stringify(stated)}: must be 'Metadata', 'Object', 'None', or empty`;
  return badRequest(`Unable to convert to Table as requested: includeObject: ${why}`);
}

/** As Go calls the type that the server has in hand. */
function otherForm({ group, kind, isCustom }: Asked['of']['kind'], isList: boolean): string {
  const own = isCustom ? 'unstructured.Unstructured' : `${group.split('.')[0] || 'core'}.${kind}`;
  return isList
    ? `you requested PartialObjectMetadata, but the requested object is a list (*${own}List)`
    : `you requested PartialObjectMetadataList, but the requested object is not a list (*${own})`;
}
