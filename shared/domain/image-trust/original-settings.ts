import {
  choice,
  either,
  flag,
  integerFrom,
  list,
  preset,
  refine,
  section,
  text,
} from '../decode.ts';
import { isDuration } from '../duration.ts';

const duration = refine(text, isDuration, 'a duration such as 30s or 1h30m');
const registries = either(text, list(text));
const port = integerFrom(0, 65_535);

/** What only Warden's own server has. */
const unused = "Warden's own; read and not used.";

export const originalNotary = {
  URL: preset(
    text,
    'https://signing.repositories.cloud.sap',
    'Of the platform; its own path may follow.',
  ),
  timeout: preset(duration, '30s', 'Of one lookup.'),
  allowedRegistries: preset(
    registries,
    '',
    'What needs no signature: a list, or a text with commas.',
  ),
  predefinedUserAllowedRegistries: preset(registries, '', "Added to each user's own."),
};

const admission = section(
  {
    strictMode: preset(flag, true, 'Whether images are refused that nobody can be asked about.'),
    timeout: preset(duration, '10s', 'Of one admission; never longer than the server allows.'),
    systemNamespace: preset(text, '', unused),
    serviceName: preset(text, '', unused),
    secretName: preset(text, '', unused),
    port: preset(port, 8443, unused),
  },
  "Warden's admission server.",
);

const operator = section(
  {
    podReconcilerRequeueAfter: preset(duration, '60m', 'How often each pod is looked at again.'),
    metricsBindAddress: preset(text, '', unused),
    healthProbeBindAddress: preset(text, '', unused),
    leaderElect: preset(flag, false, unused),
  },
  "Warden's operator.",
);

const logging = section(
  {
    level: preset(
      choice('debug', 'info', 'warn', 'error', 'fatal'),
      'info',
      'The least that is logged, where `log.level` is left out; fatal is read as error.',
    ),
    format: preset(choice('json', 'text'), 'json', 'What is logged is JSON; text is warned of.'),
  },
  'For all of Gatehouse. Where `log.level` says something else it is not used, and warned of.',
);

export const originalSections = { notary: originalNotary, admission, operator, logging };
