import { choice, dictionary, integerFrom, preset, refine, section, text } from './decode.ts';

/** Nothing else can be posted to: each message would be tried for ever. */
const serviceUrl = refine(
  text,
  (stated) => {
    const url = URL.parse(stated);
    return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.password === '';
  },
  'a URL such as http://follow-pool.default.svc, without user and password',
);

/** What runs the functions that messages wake. */
export const workerSettings = section(
  {
    groups: preset(
      integerFrom(1, 1_000),
      48,
      'How many objects each worker works on at once, in their order each.',
    ),
    visibilitySeconds: preset(
      integerFrom(3, 3_600),
      30,
      'After so long the message of a worker that died is received by another one.',
    ),
    graceSeconds: preset(
      integerFrom(0, 600),
      20,
      'How long a stopping worker lets runs end, before it gives their messages back.',
    ),
    services: preset(
      dictionary(serviceUrl),
      {},
      'The URLs of functions that run elsewhere, by name: their messages are posted there as CloudEvents.',
    ),
    eventMode: preset(choice('binary', 'structured'), 'binary', 'The mode of those CloudEvents.'),
  },
  'The worker, which runs the functions that messages wake.',
);
