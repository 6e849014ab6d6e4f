import { binariesOf as installed } from '#test/support/postgres/keeping.ts';

/** The major version that comes with us, compiled to be small. An operator's, as Debian's 15, is faster: `--postgres 15`. */
export const packagedMajor = 18;

export const binariesOf = (major: number) => installed(String(major));
