/** As the real server takes a parameter: whatever does not say no. Without it there is none. */
export function yesOrNo(query: URLSearchParams, key: string): boolean | undefined {
  const stated = query.get(key);
  return stated === null ? undefined : !/^(false|0)$/i.test(stated);
}
