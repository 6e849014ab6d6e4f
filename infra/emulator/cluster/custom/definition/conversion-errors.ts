import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError } from '../../parts.ts';
import { objectAt, textAt } from '../definition.ts';
import { forbidden, invalid, notSupported, required } from '../valid/found.ts';
import { labelErrors } from './label.ts';
import { textsAt } from './names.ts';

const path = 'spec.conversion';
/** As an older version of the API has it; the messages still do. */
const clientPath = `${path}.webhookClientConfig`;
const versionsPath = `${path}.conversionReviewVersions`;

export function conversionErrors(conversion: JsonObject): readonly FieldError[] {
  const strategy = textAt(conversion, 'strategy');
  const webhook = objectAt(conversion, 'webhook');
  return [
    ...strategyErrors(strategy),
    ...(strategy === 'Webhook' ? webhookErrors(webhook) : unusedErrors(webhook)),
  ];
}

function strategyErrors(strategy: string): readonly FieldError[] {
  if (strategy === '') return [required(`${path}.strategy`)];
  const known = ['None', 'Webhook'];
  return known.includes(strategy) ? [] : [notSupported(`${path}.strategy`, strategy, known)];
}

function unusedErrors(webhook: JsonObject): readonly FieldError[] {
  const why = 'should not be set when strategy is not set to Webhook';
  return [
    ...(isJsonObject(webhook['clientConfig']) ? [forbidden(clientPath, why)] : []),
    ...(textsAt(webhook, 'conversionReviewVersions').length > 0
      ? [forbidden(versionsPath, why)]
      : []),
  ];
}

function webhookErrors(webhook: JsonObject): readonly FieldError[] {
  const { clientConfig } = webhook;
  return [
    ...(isJsonObject(clientConfig)
      ? clientErrors(clientConfig)
      : [required(clientPath, 'required when strategy is set to Webhook')]),
    ...reviewErrors(textsAt(webhook, 'conversionReviewVersions')),
  ];
}

function clientErrors(client: JsonObject): readonly FieldError[] {
  const url = textAt(client, 'url');
  if ((url === '') !== isJsonObject(client['service']))
    return [required(clientPath, 'exactly one of url or service is required')];
  return url === '' ? serviceErrors(objectAt(client, 'service')) : urlErrors(url);
}

function urlErrors(url: string): readonly FieldError[] {
  const parsed = URL.parse(url);
  const at = `${clientPath}.url`;
  const form = '; desired format: https://host[/path]';
  if (parsed === null) return [required(at, `url must be a valid URL${form}`)];
  const scheme = parsed.protocol.replace(':', '');
  if (scheme !== 'https')
    return [invalid(at, scheme, `'https' is the only allowed URL scheme${form}`)];
  return parsed.username === ''
    ? []
    : [invalid(at, parsed.username, 'user information is not permitted in the URL')];
}

function serviceErrors(service: JsonObject): readonly FieldError[] {
  return ['name', 'namespace']
    .filter((key) => textAt(service, key) === '')
    .map((key) => required(`${clientPath}.service.${key}`, `service ${key} is required`));
}

function reviewErrors(versions: readonly string[]): readonly FieldError[] {
  if (versions.length === 0) return [required(versionsPath)];
  const isKnown = versions.includes('v1') || versions.includes('v1beta1');
  return [
    ...versions.flatMap((version, index) =>
      versions.indexOf(version) < index
        ? [invalid(`${versionsPath}[${index}]`, version, 'duplicate version')]
        : labelErrors(`${versionsPath}[${index}]`, version),
    ),
    ...(isKnown
      ? []
      : [invalid(versionsPath, [...versions], 'must include at least one of v1, v1beta1')]),
  ];
}
