import type { Bug } from './bugs.ts';

/** Of the product as well, and none of them may keep the simulator from naming a seed. */
export const mishaps = {
  'rejection-astray': () => ({
    stream: (stream) => ({
      ...stream,
      identity(signal) {
        void Promise.reject(new Error('nobody has caught it'));
        return stream.identity(signal);
      },
    }),
  }),
  'loop-without-pause': () => ({
    stream: (stream) => ({
      ...stream,
      async identity(signal) {
        for (;;) await stream.identity(signal);
      },
    }),
  }),
  'loop-without-turn': () => ({
    stream: (stream) => ({
      ...stream,
      async identity() {
        for (;;) await undefined;
      },
    }),
  }),
  'end-of-thread': () => ({
    stream: (stream) => ({
      ...stream,
      identity: () => process.exit(3),
    }),
  }),
} as const satisfies Readonly<Record<string, () => Bug>>;
