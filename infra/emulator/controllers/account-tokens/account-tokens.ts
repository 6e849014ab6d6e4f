import { done, type Outcome } from '#shared/domain/outcome.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { secrets, serviceAccounts } from '../shapes/kinds.ts';
import { placeOf, type Thing } from '../shapes/meta.ts';
import type { Secret } from '../shapes/surroundings.ts';

const tokenType = 'kubernetes.io/service-account-token';
const nameKey = 'kubernetes.io/service-account.name';
const uidKey = 'kubernetes.io/service-account.uid';
/** The server's own longest: such a token does not end but with its secret. */
const mostSeconds = 2 ** 32;

/** Fills secrets that are to hold a token of an account, and removes those whose account is gone. */
export const accountTokenController: Controller = {
  name: 'account-tokens',
  wakes: [
    wake(secrets, (secret) => (isToken(secret) ? [placeOf(secret)] : [])),
    { kind: serviceAccounts, metadataOnly: true, places: tokensOf },
  ],
  async reconcile(place, world) {
    const secret = world.shelf(secrets).find(place);
    if (secret === undefined || !isToken(secret)) return done;
    const account = await accountOf(secret, world);
    if (account !== undefined) return fill(secret, account, world);
    const { uid } = secret.metadata;
    return outcomeOf(await world.api.remove(targetOf(secrets, secret), { uid }));
  },
};

function isToken({ type }: Secret): boolean {
  return type === tokenType;
}

function annotation({ metadata }: Thing, key: string): string {
  return metadata.annotations?.[key] ?? '';
}

function tokensOf({ metadata }: Thing, world: World): readonly string[] {
  return [...world.shelf(secrets).list(metadata.namespace)]
    .filter((secret) => isToken(secret) && annotation(secret, nameKey) === metadata.name)
    .map(placeOf);
}

/** Asked for before a token is removed: the shelf may lag behind. */
async function accountOf(secret: Secret, world: World): Promise<Thing | undefined> {
  const { namespace } = secret.metadata;
  const [name, uid] = [annotation(secret, nameKey), annotation(secret, uidKey)];
  const isIts = (account: Thing | undefined) =>
    account !== undefined && (uid === '' || uid === account.metadata.uid);
  const known = world.metadataOf(serviceAccounts).find(`${namespace ?? ''}/${name}`);
  if (isIts(known)) return known;
  const live = await world.api.find({ kind: serviceAccounts, namespace, name });
  // The server's answer is an object of the API.
  return isIts(live as Thing | undefined) ? (live as Thing | undefined) : undefined;
}

async function fill(secret: Secret, account: Thing, world: World): Promise<Outcome> {
  const { data = {}, metadata } = secret;
  const ca = base64(world.rootCa);
  const isWhole = data['token'] && data['namespace'] && data['ca.crt'] === ca;
  if (isWhole) return done;
  const token = data['token'] || (await made(secret, account, world));
  if (typeof token !== 'string') return token;
  const body = {
    metadata: { annotations: { [nameKey]: account.metadata.name, [uidKey]: account.metadata.uid } },
    data: {
      'ca.crt': ca,
      namespace: data['namespace'] || base64(metadata.namespace ?? ''),
      token,
    },
  };
  return outcomeOf(await world.api.update(targetOf(secrets, secret), secret, body));
}

async function made({ metadata }: Secret, account: Thing, world: World): Promise<string | Outcome> {
  const { name, uid } = metadata;
  const asked = await world.api.act(targetOf(serviceAccounts, account, 'token'), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      expirationSeconds: mostSeconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name, uid },
    },
  });
  if (asked.kind !== 'written') return outcomeOf(asked);
  const { token } = asked.object['status'] as { readonly token: string };
  return base64(token);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
