const mostBytes = 4 * 1024 * 1024;

/**
 * Of an object that is read, written and compared there are up to ten copies for a moment, and the old space of a deployed
 * forwarder is of 52 MiB: 8 MiB at once end it, whether in one object or in a page. etcd takes objects of 1.5 MiB, of which
 * one that is nothing but `{}` would end it too.
 */
export const streamLimits = {
  maxLineBytes: mostBytes,
  maxPageBytes: mostBytes,
  maxObjectBytes: mostBytes,
  maxParsedBytes: 12 * 1024 * 1024,
};
