import { choice, type Decoded, list, preset, refine, section, text } from '../decode.ts';
import { isDuration } from '../duration.ts';
import { certificatesSecret } from '../installation.ts';

const duration = refine(text, isDuration, 'a duration such as 90s, 12h or 1h30m');

export const certificateSettings = section(
  {
    source: preset(
      choice('self', 'files'),
      'self',
      'self: CA and leaf in a Secret, issued and rotated by us. files: a mounted directory (cert-manager, Gardener).',
    ),
    directory: preset(
      text,
      '/etc/gatehouse/certificates',
      'Of the mounted files: tls.crt, tls.key, ca.crt.',
    ),
    secretName: preset(
      text,
      certificatesSecret,
      'files: the Secret that is mounted. What we issue ourselves is always in gatehouse-certificates.',
    ),
    dnsNames: preset(list(text), [], 'Names beyond those of the Services.'),
    caLifetime: preset(duration, '8760h', 'How long a CA is valid.'),
    leafLifetime: preset(duration, '2160h', 'How long a leaf is valid.'),
    renewBefore: preset(
      duration,
      '720h',
      "Rotation starts when less than this is left of a CA's or a leaf's life.",
    ),
    settle: preset(
      duration,
      '10s',
      "What API servers may need to learn of a new bundle, and replicas' callers of a new leaf.",
    ),
  },
  'How the server proves who it is.',
);

export type CertificateSettings = Decoded<typeof certificateSettings>;
