import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { reviewed } from './conversion-review.ts';
import { textsAt } from './definition/names.ts';
import { objectAt, textAt } from './definition.ts';

/** How the server reaches a webhook: the caller resolves services and checks the certificate, as for admission. */
export type Door = (call: {
  readonly url: string | undefined;
  readonly service: ServiceReference | undefined;
  /** PEM. Only a certificate of these authorities is trusted; without any, those of the system. */
  readonly caBundle: string | undefined;
  readonly body: JsonObject;
  readonly timeoutMs: number;
}) => Promise<{ readonly status: number; readonly type: string; readonly body: string }>;

export type ServiceReference = {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly port: number;
};

export type Converting = {
  readonly definition: JsonObject;
  readonly door: Door;
  /** Of the review; another one each time. */
  readonly uid: string;
};

const timeoutMs = 30_000;

/** Objects of any version as they are in another; those that already are of it stay as they are. */
export async function converted(
  objects: readonly JsonObject[],
  to: string,
  by: Converting,
): Promise<readonly JsonObject[] | Refusal> {
  const spec = objectAt(by.definition, 'spec');
  const wanted = `${textAt(spec, 'group')}/${to}`;
  const [first, ...rest] = objects.filter(({ apiVersion }) => apiVersion !== wanted);
  if (first === undefined) return objects;
  const conversion = objectAt(spec, 'conversion');
  if (textAt(conversion, 'strategy') !== 'Webhook')
    return objects.map((object) => ({ ...object, apiVersion: wanted }));

  const answer = await asked([first, ...rest], wanted, {
    ...by,
    webhook: objectAt(conversion, 'webhook'),
  });
  if (typeof answer === 'string') {
    const from = `${String(first['apiVersion'])}, Kind=${String(first['kind'])}`;
    return refusal(500, { message: `conversion webhook for ${from} ${answer}` });
  }
  const back = [...answer];
  return objects.map((object) =>
    object['apiVersion'] === wanted ? object : (back.shift() ?? object),
  );
}

/** Without a webhook nothing but the version changes, and nobody is asked. */
export function asksWebhook(definition: JsonObject): boolean {
  return textAt(objectAt(objectAt(definition, 'spec'), 'conversion'), 'strategy') === 'Webhook';
}

async function asked(
  objects: readonly JsonObject[],
  wanted: string,
  { webhook, door, uid }: Converting & { readonly webhook: JsonObject },
): Promise<readonly JsonObject[] | string> {
  const known = textsAt(webhook, 'conversionReviewVersions').find((each) =>
    /^v1(beta1)?$/.test(each),
  );
  const apiVersion = `apiextensions.k8s.io/${known ?? 'v1'}`;
  const request = { uid, desiredAPIVersion: wanted, objects: [...objects] };
  const body = { kind: 'ConversionReview', apiVersion, request };
  try {
    const answer = await door({ ...clientOf(webhook), body, timeoutMs });
    return reviewed(answer, objects, { wanted, uid, apiVersion });
  } catch (cause: unknown) {
    return `failed: ${cause instanceof Error ? cause.message : 'the call failed'}`;
  }
}

function clientOf(webhook: JsonObject) {
  const client = objectAt(webhook, 'clientConfig');
  const [url, bundle] = [textAt(client, 'url'), textAt(client, 'caBundle')];
  return {
    url: url === '' ? undefined : url,
    service: isJsonObject(client['service']) ? serviceIn(client['service']) : undefined,
    caBundle: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString(),
  };
}

function serviceIn(service: JsonObject): ServiceReference {
  const { port } = service;
  return {
    namespace: textAt(service, 'namespace'),
    name: textAt(service, 'name'),
    path: textAt(service, 'path'),
    port: typeof port === 'number' ? port : 443,
  };
}
