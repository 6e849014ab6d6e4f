/** Of our environment, what a command of ours needs to be found and to start quickly, and nothing that it would obey. */
export function homely(): Readonly<Record<string, string>> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
