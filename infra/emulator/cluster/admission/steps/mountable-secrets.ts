import { parseBool } from '#shared/domain/go-bool.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { inside, metadataOf, nameOf, objects, text } from '../../access/stated.ts';

const enforces = 'kubernetes.io/enforce-mountable-secrets';

/** Why an account that lets its pods read its own secrets alone does not let this one. */
export function foreignSecret(pod: JsonObject, account: JsonObject): string | undefined {
  const spec = inside(pod['spec']);
  return (
    unlisted(account, [
      ...ofVolumes(spec),
      ...ofContainers(spec['initContainers'], 'init container'),
      ...ofContainers(spec['containers'], 'container'),
    ]) ?? unlistedPull(account, spec)
  );
}

export function foreignToEphemeral(pod: JsonObject, account: JsonObject): string | undefined {
  const { ephemeralContainers } = inside(pod['spec']);
  return unlisted(account, ofContainers(ephemeralContainers, 'ephemeral container'));
}

type Reference = { readonly by: string; readonly secret: JsonObject[string] | undefined };

function unlisted(account: JsonObject, all: readonly Reference[]): string | undefined {
  const wrong = isStrict(account)
    ? all.find(({ secret }) => !namesIn(account, 'secrets').includes(text(secret)))
    : undefined;
  if (wrong === undefined) return undefined;
  const what = `${wrong.by} secret.secretName="${text(wrong.secret)}"`;
  return `${what} is not allowed because service account ${nameOf(account)} does not reference that secret`;
}

function unlistedPull(account: JsonObject, spec: JsonObject): string | undefined {
  const own = namesIn(account, 'imagePullSecrets');
  const names = namesIn(spec, 'imagePullSecrets');
  const at = names.findIndex((name) => !own.includes(name));
  if (!isStrict(account) || at < 0) return undefined;
  return `imagePullSecrets[${at}].name="${names[at]}" is not allowed because service account ${nameOf(account)} does not reference that imagePullSecret`;
}

function isStrict(account: JsonObject): boolean {
  return parseBool(text(inside(metadataOf(account)['annotations'])[enforces])) === true;
}

function namesIn(object: JsonObject, key: string): readonly string[] {
  return objects(object[key]).map(({ name }) => text(name));
}

function ofVolumes(spec: JsonObject): readonly Reference[] {
  return objects(spec['volumes']).flatMap(({ secret }) =>
    isJsonObject(secret) ? [{ by: 'volume with', secret: secret['secretName'] }] : [],
  );
}

function ofContainers(list: JsonObject[string] | undefined, word: string): readonly Reference[] {
  return objects(list).flatMap((container) => {
    const whose = `${word} ${text(container['name'])}`;
    const single = objects(container['env']).flatMap(({ name, valueFrom }) => {
      const { secretKeyRef } = inside(valueFrom);
      const by = `${whose} with envVar ${text(name)} referencing`;
      return isJsonObject(secretKeyRef) ? [{ by, secret: secretKeyRef['name'] }] : [];
    });
    const whole = objects(container['envFrom']).flatMap(({ secretRef }) => {
      const by = `${whose} with envFrom referencing`;
      return isJsonObject(secretRef) ? [{ by, secret: secretRef['name'] }] : [];
    });
    return [...single, ...whole];
  });
}
