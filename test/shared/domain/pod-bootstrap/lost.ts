import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';

/** What may become other than it was; anything else is the user's. */
const meant = [
  /^\/spec\/(initContainers|containers|ephemeralContainers)\/\d+\/image$/,
  /^\/spec\/volumes\/\d+\/image\/reference$/,
  /^\/metadata\/annotations\/(gatehouse\.io\/pod-bootstrap|rt-bootstrapper\.)/,
  /^\/metadata\/(labels|annotations)\/pods\.warden\.kyma-project\.io\//,
];

const told = ['KYMA_FIPS_MODE_ENABLED', 'FIPS_MODE_ENABLED', 'KYMA_LANDSCAPE'];

/** The paths at which something of before is no longer there, or no longer in its place. */
export function lost(before: Json, after: Json | undefined, path = ''): readonly string[] {
  if (before === null || meant.some((each) => each.test(path))) return [];
  if (isTold(before)) return isTold(after) ? [] : [path];
  if (isList(before)) {
    const items = isList(after) ? after : [];
    return before.flatMap((item, index) => lost(item, items[index], `${path}/${index}`));
  }
  if (isJsonObject(before)) {
    return Object.entries(before).flatMap(([key, value]) =>
      lost(value, isJsonObject(after) ? after[key] : undefined, `${path}/${key}`),
    );
  }
  return before === after ? [] : [path];
}

function isTold(value: Json | undefined): boolean {
  return isJsonObject(value) && told.includes(String(value['name'])) && 'value' in value;
}
